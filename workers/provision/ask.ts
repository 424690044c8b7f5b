import process from "node:process";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";

/** Whether there is somebody to ask. */
export function isTerminal(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Asks a person; what is asked in secret does not show. */
export async function ask(question: string, { isSecret = false } = {}): Promise<string> {
  const silent = new Writable({ write: (_, __, done) => done() });
  const lines = createInterface({ input: process.stdin, output: isSecret ? silent : process.stderr, terminal: true });
  // Ctrl-C reaches nobody else while the terminal is read raw.
  lines.once("SIGINT", () => process.exit(130));
  try {
    if (isSecret) process.stderr.write(question);
    return (await lines.question(isSecret ? "" : question)).trim();
  } finally {
    lines.close();
    if (isSecret) process.stderr.write("\n");
  }
}
