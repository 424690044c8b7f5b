/** Keycloak's defaults, in milliseconds. */
export const ACCESS_TOKEN_MS = 300_000;
export const SESSION_IDLE_MS = 1_800_000;
export const SESSION_MAX_MS = 36_000_000;

export type Session = { id: string; started: number; lastAccess: number; isDetached: boolean; refreshId: string };

/** Until when the session lasts if nobody uses it again. */
export function sessionEnd({ started, lastAccess }: Pick<Session, "started" | "lastAccess">): number {
  return Math.min(lastAccess + SESSION_IDLE_MS, started + SESSION_MAX_MS);
}

export function isAlive(session: Session, now: number): boolean {
  return now < sessionEnd(session);
}
