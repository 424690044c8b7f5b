import process from "node:process";
import type { Arrival } from "../src/compose/runtime.ts";
import { SettingsError } from "../src/env.ts";
import { describe } from "../src/http/log.ts";

/** What is to be closed at the end, the last first. */
export type Closers = (() => unknown)[];

export type Handler = (request: Request, arrival: Arrival) => Response | Promise<Response>;

/** Starts to listen; rejects when the port is taken. */
export type Listen = (handler: Handler, at: { host: string; port: number }) => Promise<{ port: number; close: () => Promise<void> }>;

export const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Runs what `start` starts until a signal ends it; a second signal does not wait. What keeps it from starting is one message. */
export async function runUntilSignal(start: (closers: Closers) => Promise<void>): Promise<void> {
  const closers: Closers = [];
  let isEnding = false;
  const end = async (code: number) => {
    if (isEnding) process.exit(1);
    isEnding = true;
    await closeAll(closers);
    process.exit(code);
  };
  for (const signal of SIGNALS) process.on(signal, () => void end(0));
  try {
    await start(closers);
  } catch (error) {
    console.error(error instanceof SettingsError ? error.message : `Cannot start: ${describe(error, true)}`);
    await end(1);
  }
}

/** Closes what is open, the last first; who is called meanwhile closes what is left. */
export async function closeAll(closers: Closers): Promise<void> {
  for (let close = closers.pop(); close; close = closers.pop()) await close();
}

/** Listens at one address for all, and says in one sentence why it cannot. */
export function listener(listen: Listen, { host, closers }: { host: string; closers: Closers }) {
  return async (name: string, port: number, handler: Handler): Promise<string> => {
    const listening = await listen(handler, { host, port }).catch((error: Error) => {
      throw new SettingsError(`Cannot listen on port ${port} for the ${name}: ${error.message}`);
    });
    closers.push(listening.close);
    return `http://localhost:${listening.port}`;
  };
}

/** Does `work` every `interval` milliseconds, never twice at once, until closed. */
export function repeat(work: () => Promise<unknown>, { interval, onError, closers }: { interval: number; onError: (error: unknown) => void; closers: Closers }) {
  let timer = setTimeout(run, interval);
  let running: Promise<unknown> = Promise.resolve();
  let isClosed = false;
  function run() {
    running = work()
      .catch(onError)
      .then(() => {
        if (!isClosed) timer = setTimeout(run, interval);
      });
  }
  closers.push(() => {
    isClosed = true;
    clearTimeout(timer);
    return running;
  });
}
