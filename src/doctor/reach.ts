import type { Outcome } from "../http/upstream.ts";
import { type Finding, findingsOf } from "./finding.ts";
import { reachFindings } from "./findings/reach.ts";

export type Place = {
  system: string;
  /** The setting that has the URL. */
  setting: string;
  url: string;
};

type Unreached = "refused" | "unknown-host" | "silent" | "no-tls";

const CODES: Readonly<Record<string, Unreached>> = {
  ECONNREFUSED: "refused",
  ENOTFOUND: "unknown-host",
  EAI_AGAIN: "unknown-host",
  EHOSTUNREACH: "silent",
  ENETUNREACH: "silent",
  ETIMEDOUT: "silent",
  UND_ERR_CONNECT_TIMEOUT: "silent",
  ERR_SSL_WRONG_VERSION_NUMBER: "no-tls",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "no-tls",
  EPROTO: "no-tls",
};

/** OpenSSL's reasons, as Node has them for codes. */
const CERTIFICATE = /CERT|SIGNED|ISSUER|ALTNAME|VERIFY/;

export const reached = ({ system, url }: Place): Finding => findingsOf(system, reachFindings)("reached", { url: shownUrl(url) });

/** The finding that an answer is from which nothing can be told; undefined for any other. */
export function unreached({ system, setting, url }: Place, outcome: Outcome): Finding | undefined {
  const found = findingsOf(system, reachFindings);
  const at = { url: shownUrl(url), setting };
  if (outcome.kind === "answer") return isBusy(outcome.status) ? found("not-ready", { ...at, status: outcome.status }) : undefined;
  const { reason, cause } = outcome;
  if (reason === "timeout") return found("silent", at);
  if (reason === "unusable") return found(cause instanceof Error && cause.message.startsWith("Redirected") ? "redirected" : "unusable", at);
  return lostTo({ system, setting, url }, cause);
}

/** The finding that `error` is, by the codes in its chain of causes: how a connection was not made. */
export function lostTo({ system, setting, url }: Place, error: unknown): Finding {
  const found = findingsOf(system, reachFindings);
  const at = { url: shownUrl(url), setting };
  const codes = codesIn(error);
  const known = codes.map((code) => CODES[code]).find((code) => code !== undefined);
  if (known) return found(known, at);
  if (messagesIn(error).includes("bad port")) return found("blocked-port", at);
  const certificate = codes.find((code) => CERTIFICATE.test(code));
  return certificate ? found("not-trusted", { ...at, reason: certificate.toLowerCase().replaceAll("_", " ") }) : found("unusable", at);
}

/** A proxy's or a starting server's way to say that there is nobody yet. */
function isBusy(status: number): boolean {
  return status === 429 || (status >= 502 && status <= 504);
}

/** Without its credential and its query. */
export function shownUrl(text: string): string {
  if (!URL.canParse(text)) return "(not a URL)";
  const { protocol, host, pathname } = new URL(text);
  return `${protocol}//${host}${pathname === "/" ? "" : pathname}`;
}

/** Of the error, its causes, and what several addresses of one name came to. */
function codesIn(error: unknown, depth = 0): string[] {
  if (!(error instanceof Error) || depth > 6) return [];
  const { code, errors } = error as { code?: unknown; errors?: unknown };
  const own = typeof code === "string" ? [code] : [];
  const parts = Array.isArray(errors) ? errors.flatMap((part) => codesIn(part, depth + 1)) : [];
  return [...own, ...parts, ...codesIn(error.cause, depth + 1)];
}

function messagesIn(error: unknown, depth = 0): string[] {
  return error instanceof Error && depth <= 6 ? [error.message, ...messagesIn(error.cause, depth + 1)] : [];
}
