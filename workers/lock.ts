import { DatabaseSync } from "node:sqlite";

/**
 * Takes the file at `path` for this process alone; call the answer to give it back. Undefined when another has it and
 * has it still after `wait` milliseconds, in which nothing else is done here.
 * SQLite's lock is the operating system's: it ends with the process however that ends, which no file with a process id does.
 */
export function lockFile(path: string, wait = 0): (() => void) | undefined {
  const lock = new DatabaseSync(path);
  try {
    lock.exec(`PRAGMA busy_timeout = ${wait}`);
    lock.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    return () => lock.close();
  } catch {
    lock.close();
    return undefined;
  }
}
