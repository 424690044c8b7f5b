/** What Redis answers (RESP 2): a status is a string, what it has stored is bytes, and a command that it refused is an Error. */
export type Reply = null | number | string | Uint8Array | Error | Reply[];

export type RedisWork = {
  commands: string[][];
  /** Runs all commands or none, with nobody else's between them. */
  isTransaction?: boolean;
};

/** A reply for each command; of a transaction one, the replies of all or the refusal of the whole. Rejects when Redis is away. */
export type RedisRun = (work: RedisWork) => Promise<Reply[]>;

/** What is needed of a client, which answers in the types of `Reply`; its own types would bring Node's into this folder. */
export type RedisClient = { sendCommand: (args: string[]) => Promise<unknown> };

/** As many commands as may wait for their replies; one more is refused, not queued. */
const MAX_UNDERWAY = 1024;

/** Runs commands on an ordinary Redis; `isRefusal` tells what Redis has against a command from a Redis that is away. */
export function redisRun({ sendCommand }: RedisClient, isRefusal: (error: unknown) => boolean): RedisRun {
  let underway = 0;

  async function speak(args: string[]): Promise<Reply> {
    try {
      return (await sendCommand(args)) as Reply;
    } catch (error) {
      if (isRefusal(error)) return error as Error;
      throw error;
    } finally {
      underway -= 1;
    }
  }

  return async ({ commands, isTransaction = false }) => {
    const all = isTransaction ? [["MULTI"], ...commands, ["EXEC"]] : commands;
    // Before the first is sent: a transaction whose end is refused would take in what others send.
    if (underway + all.length > MAX_UNDERWAY) throw new Error(`${underway} commands are under way`);
    underway += all.length;
    // Sent in one go, so they stay together on the one connection.
    const replies = await Promise.all(all.map(speak));
    return isTransaction ? replies.slice(-1) : replies;
  };
}
