import type { ConfigFile } from "../src/config/files.ts";

export type Blob = { id: string; size: number };

const MAX_BYTES = 64 * 1024 * 1024;
/** What keeping a blob costs besides its bytes. */
const OVERHEAD = 512;

/** Keeps what `read` finds, of all commits together; those least recently asked for go first. */
export function keptBlobs(read: (blob: Blob) => Promise<ConfigFile>): (blob: Blob) => Promise<ConfigFile> {
  const kept = new Map<string, { file: Promise<ConfigFile>; cost: number }>();
  let total = 0;

  function forget(id: string): void {
    total -= kept.get(id)?.cost ?? 0;
    kept.delete(id);
  }

  return (blob) => {
    const { id, size } = blob;
    const file = kept.get(id)?.file ?? read(blob);
    forget(id);
    kept.set(id, { file, cost: size + OVERHEAD });
    total += size + OVERHEAD;
    for (const oldest of kept.keys()) {
      if (total <= MAX_BYTES) break;
      forget(oldest);
    }
    file.catch(() => {
      if (kept.get(id)?.file === file) forget(id);
    });
    return file;
  };
}
