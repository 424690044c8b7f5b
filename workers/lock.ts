import { DatabaseSync } from "node:sqlite";

/**
 * Takes the file at `path` for this process alone; call the answer to give it back. Undefined when another has it.
 * SQLite's lock is the operating system's: it ends with the process however that ends, which no file with a process id does.
 */
export function lockFile(path: string): (() => void) | undefined {
  const lock = new DatabaseSync(path);
  try {
    lock.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    return () => lock.close();
  } catch {
    lock.close();
    return undefined;
  }
}
