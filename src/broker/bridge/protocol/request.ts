import { type Reader, reader } from "./reader.ts";
import { type Writer, writer } from "./writer.ts";

/** One call of an API in one version: what is sent, and what the answer says. */
export type Request<Answer> = { api: number; version: number; body: Uint8Array; read: (bytes: Uint8Array) => Answer };

type Shape<Answer> = {
  api: number;
  version: number;
  /** Whether both headers end with tags (KIP-482). */
  isFlexible?: boolean;
  write: (to: Writer) => void;
  read: (from: Reader) => Answer;
};

export function request<Answer>({ api, version, isFlexible = false, write, read }: Shape<Answer>): Request<Answer> {
  const to = writer();
  if (isFlexible) to.tags();
  write(to);
  return {
    api,
    version,
    body: to.done(),
    read(bytes) {
      const from = reader(bytes);
      if (isFlexible) from.tags();
      return read(from);
    },
  };
}

/** What Kafka says of one of the things it was asked for. */
export type Judgement = { code: number; message: string | null };
