const CODES: ReadonlySet<unknown> = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);

/**
 * Whether no connection was made, so that nothing was sent: by the codes of Node's errors and the words of Deno's.
 * Workers do not tell.
 */
export function wasNotReached(error: unknown): boolean {
  for (let link = error, depth = 0; link instanceof Error && depth < 8; depth++) {
    if (CODES.has((link as { code?: unknown }).code) || link.message.includes("client error (Connect)")) return true;
    link = link.cause;
  }
  return false;
}
