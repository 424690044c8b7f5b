import { ipv6Groups } from "../http/ipv6.ts";

/** What lies open beside the public internet. */
export type Openness = {
  /** This machine, also by plain http: where only this machine reaches the platform. */
  isLoopback: boolean;
  /** Every address and plain http: for a laboratory whose receivers have private addresses. */
  isPrivate: boolean;
};

const MAX_URL_LENGTH = 2048;

/** Of this machine, of private networks, of no network, or not of one receiver (RFC 6890), each with the length of its prefix. */
const CLOSED_IPV4 = [
  "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24",
  "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3",
  // Azure's own services for a machine stand at a public address.
  "168.63.129.16/32",
].map(prefixOf);

/** Names that lead nowhere but inside (RFC 6761, 6762, 8375; ICANN's `internal`; and by habit). */
const CLOSED_NAMES = /(^|\.)(localhost|local|internal|intranet|private|corp|home|lan|localdomain|home\.arpa|test|invalid|example|onion)$/;

/** Why nothing is sent to `text`, as a part of a sentence; undefined for a URL that a webhook may have. */
export function urlFault(text: string, openness: Openness): string | undefined {
  const url = text.length <= MAX_URL_LENGTH && URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) return `an https URL of at most ${MAX_URL_LENGTH} characters is needed`;
  if (url.username !== "" || url.password !== "") return "it has a user name or a password in it";
  if (url.hash !== "" || text.includes("#")) return "it has a fragment";
  if (isClosedHost(url.hostname, openness)) return "its host is private";
  const mayBePlain = openness.isPrivate || (openness.isLoopback && isLoopback(url.hostname));
  return url.protocol === "http:" && !mayBePlain ? "plain http may be read on its way: use https" : undefined;
}

/** Whether a host, as the URL parser spells it, is one that nothing is sent to. What a name resolves to is another question. */
function isClosedHost(hostname: string, openness: Openness): boolean {
  if (isAddress(hostname)) return isClosedAddress(hostname.replace(/^\[|\]$/g, ""), openness);
  if (openness.isPrivate || (openness.isLoopback && isLoopback(hostname))) return false;
  const name = hostname.replace(/\.$/, "");
  return !name.includes(".") || CLOSED_NAMES.test(name);
}

/** Whether an IP address is one that nothing is sent to. */
export function isClosedAddress(address: string, { isLoopback: isHere, isPrivate }: Openness): boolean {
  if (isPrivate || (isHere && isLoopback(address.includes(":") ? `[${address}]` : address))) return false;
  const number = numberOf(address);
  if (number !== undefined) return isClosedIpv4(number);
  const groups = ipv6Groups(address.replace(/%.*$/, ""));
  return !groups || isClosedIpv6(groups);
}

/** Whether a host, as the URL parser spells it, is an address and no name. */
export function isAddress(hostname: string): boolean {
  return hostname.startsWith("[") || numberOf(hostname) !== undefined;
}

function isLoopback(hostname: string): boolean {
  if (/^(.+\.)?localhost\.?$/.test(hostname)) return true;
  const number = numberOf(hostname);
  if (number !== undefined) return number >>> 24 === 127;
  return hostname === "[::1]";
}

/** Open is what is global and nobody's translation: `2000::/3` without the IETF's own, examples and 6to4; and NAT64 of what is open. */
function isClosedIpv6(groups: number[]): boolean {
  const [first = 0, second = 0, ...rest] = groups;
  const isNat64 = first === 0x64 && second === 0xff9b && rest.slice(0, 4).every((group) => group === 0);
  if (isNat64) return isClosedIpv4(((groups[6] ?? 0) * 0x10000 + (groups[7] ?? 0)) >>> 0);
  if (first >> 13 !== 1) return true;
  const isIetfs = first === 0x2001 && (second < 0x200 || second === 0xdb8);
  return isIetfs || first === 0x2002 || (first === 0x3fff && second < 0x1000);
}

function isClosedIpv4(number: number): boolean {
  return CLOSED_IPV4.some(({ base, mask }) => (number & mask) >>> 0 === base);
}

function prefixOf(text: string): { base: number; mask: number } {
  const [address = "", length = ""] = text.split("/");
  return { base: numberOf(address) ?? 0, mask: (0xffffffff << (32 - Number(length))) >>> 0 };
}

/** The number that a dotted IPv4 address is; undefined for anything else. */
function numberOf(address: string): number | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(address)?.slice(1).map(Number);
  if (!parts || parts.some((part) => part > 255)) return undefined;
  return parts.reduce((number, part) => number * 256 + part, 0);
}
