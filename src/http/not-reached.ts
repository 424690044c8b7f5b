import { causesOf, codesIn } from "./causes.ts";

const CODES: ReadonlySet<string> = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);

/**
 * Whether no connection was made, so that nothing was sent: by the codes of Node's errors and the words of Deno's.
 * Workers do not tell.
 */
export function wasNotReached(error: unknown): boolean {
  const isDenos = causesOf(error).some((link) => link instanceof Error && link.message.includes("client error (Connect)"));
  return isDenos || codesIn(error).some((code) => CODES.has(code));
}
