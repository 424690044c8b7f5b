import { DatabaseSync } from "node:sqlite";

const PAUSE_MS = 20;

/**
 * Takes the file at `path` for this process alone; call the answer to give it back. Undefined when another has it and
 * has it still after `wait` milliseconds, in which nothing else is done here.
 * SQLite's lock is the operating system's: it ends with the process however that ends, which no file with a process id does.
 */
export function lockFile(path: string, wait = 0): (() => void) | undefined {
  const until = Date.now() + wait;
  for (;;) {
    const unlock = tryLock(path);
    if (unlock || Date.now() >= until) return unlock;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
}

/** SQLite's own waiting gives up at once where two could wait for each other. */
function tryLock(path: string): (() => void) | undefined {
  const lock = new DatabaseSync(path);
  try {
    lock.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    return () => lock.close();
  } catch {
    lock.close();
    return undefined;
  }
}
