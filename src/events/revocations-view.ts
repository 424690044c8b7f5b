import type { Caller } from "../http/bearer.ts";
import type { Revocation, RevocationStore } from "./revocations-store.ts";

/** More than one statement changes, which all are of one version. */
const PAGE = 5000;

/** The revocations that matter still, in memory. */
export function revocationView({ since }: Pick<RevocationStore, "since">) {
  const held = new Map<string, Revocation>();
  let version = -1;
  let isRead = false;

  function hold(change: Revocation): void {
    // Two readings may be under way, and the slower one brings what is older.
    if ((held.get(change.subject)?.version ?? -1) < change.version) held.set(change.subject, change);
  }

  return {
    /** Takes in what has changed. */
    async read(now: number): Promise<void> {
      let changed: Revocation[];
      do {
        changed = await since(version, { now, limit: PAGE });
        for (const change of changed) hold(change);
        // Of the last version in a full page there may be more.
        const last = changed.at(-1)?.version ?? version;
        version = Math.max(version, changed.length === PAGE ? last - 1 : last);
      } while (changed.length === PAGE);
      isRead = true;
      for (const [subject, { until }] of held) if (until <= now) held.delete(subject);
    },

    /** Whether it was read whole at least once. */
    isRead: () => isRead,

    isRevoked({ sub, issuedAt }: Pick<Caller, "sub" | "issuedAt">, now: number): boolean {
      const found = held.get(sub);
      if (!found || found.until <= now) return false;
      return found.validFrom === null || issuedAt < found.validFrom;
    },
  };
}
