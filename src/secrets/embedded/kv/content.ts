import { iso } from "../answer.ts";
import type { Server } from "../server.ts";
import type { Document, Found, Version } from "./store.ts";

/** Null is what a put of `data: null` leaves. */
export type Content = Record<string, unknown> | null;

/** A version moved to another document, path or number does not open. */
function contextOf({ id, path }: { id: string; path: string }, version: number): string {
  return JSON.stringify(["kv", id, path, version]);
}

export function sealContent(server: Server, at: { id: string; path: string }, { version, content }: { version: number; content: Content }): Promise<string> {
  return server.keys.seal(JSON.stringify(content), contextOf(at, version));
}

/** What a version holds; undefined when it is deleted or destroyed. */
export async function contentOf(server: Server, found: Found): Promise<{ content: Content } | undefined> {
  const { chosen } = found;
  if (!chosen || chosen.sealed === null || !isReadable(chosen)) return undefined;
  return { content: JSON.parse(await server.keys.open(chosen.sealed, contextOf(found, chosen.version))) as Content };
}

export function isReadable({ deleted, isDestroyed }: Version): boolean {
  return deleted === null && !isDestroyed;
}

export function versionMetadata({ customMetadata }: Pick<Document, "customMetadata">, { version, created, deleted, isDestroyed }: Version) {
  return {
    created_time: iso(created),
    custom_metadata: customMetadata,
    deletion_time: deleted === null ? "" : iso(deleted),
    destroyed: isDestroyed,
    version,
  };
}
