import { causesOf, codesIn } from "../http/causes.ts";
import { TooLate } from "../http/within.ts";
import type { Answered, Asked } from "./client.ts";
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

export function reached({ system, url }: Place): Finding {
  return findingsOf(system, reachFindings)("reached", { url: shownUrl(url) });
}

/** The answer from which more can be told, or the finding that it is none. */
export function answerOf(place: Place, outcome: Asked): { answer: Answered; fault?: undefined } | { answer?: undefined; fault: Finding } {
  const found = findingsOf(place.system, reachFindings);
  const at = { url: shownUrl(place.url), setting: place.setting };
  if (outcome.kind === "answer") return isBusy(outcome.status) ? { fault: found("not-ready", { ...at, status: outcome.status }) } : { answer: outcome };
  const { reason, cause } = outcome;
  if (reason === "timeout") return { fault: found("silent", at) };
  if (reason === "unusable") return { fault: found(cause instanceof Error && cause.message.startsWith("Redirected") ? "redirected" : "unusable", at) };
  return { fault: lostTo(place, cause) };
}

/** The finding that `error` is, by the codes in its chain of causes: how a connection was not made. */
export function lostTo({ system, setting, url }: Place, error: unknown): Finding {
  const found = findingsOf(system, reachFindings);
  const at = { url: shownUrl(url), setting };
  const links = causesOf(error);
  // Of a name with several addresses, each was tried.
  const codes = [...codesIn(error), ...links.flatMap((link) => (link instanceof AggregateError ? link.errors.flatMap(codesIn) : []))];
  const known = codes.map((code) => CODES[code]).find((code) => code !== undefined);
  if (known) return found(known, at);
  if (links.some((link) => link instanceof TooLate)) return found("silent", at);
  if (links.some((link) => link instanceof Error && link.message === "bad port")) return found("blocked-port", at);
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
