export type Address = { host: string; port: number };

/** Where a body goes: the API and its version say how both bodies are to be read. */
export type RawRequest = { api: number; version: number; body: Uint8Array };

/** One open and authenticated connection to a node. */
export type KafkaConnection = {
  isOpen: () => boolean;
  /** The body of the answer, without its header; rejects when there will be none. */
  send: (request: RawRequest) => Promise<Uint8Array>;
  /** Ends it at once, and with it what waits for answers. */
  close: () => void;
};

/** What is needed of kafkajs; its own types would bring Node's into this folder. */
export type KafkaNetwork = {
  /** Those that are asked for all others. */
  brokers: Address[];
  /** Rejects with `CredentialsRefused` where Kafka says so. */
  connect: (to: Address) => Promise<KafkaConnection>;
};

export class CredentialsRefused extends Error {
  override readonly name = "CredentialsRefused";
}

/** No answer: `mayBeDone` where the request was sent. */
export class Unanswered extends Error {
  override readonly name = "Unanswered";
  readonly mayBeDone: boolean;

  constructor(message: string, { mayBeDone, cause }: { mayBeDone: boolean; cause: unknown }) {
    super(message, { cause });
    this.mayBeDone = mayBeDone;
  }
}
