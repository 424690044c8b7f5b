import { ipv6Groups } from "../http/ipv6.ts";

/** Names of the machines that clouds tell their secrets by. */
const METADATA_NAMES = /^(metadata|metadata\.google\.internal|metadata\.goog|instance-data|instance-data\.ec2\.internal)\.?$/;

/** Unspecified, link-local (where clouds keep metadata), IETF's own, multicast and reserved; then Alibaba's and Azure's metadata. */
const REFUSED_IPV4 = /^(0\.|169\.254\.|192\.0\.0\.|(22[4-9]|2[3-5]\d)\.|100\.100\.100\.200$|168\.63\.129\.16$)/;

/** Metadata of AWS, Google and Scaleway by their first two and their last group; all in `fd00::/8`, as any private network is. */
const METADATA_IPV6: ReadonlySet<string> = new Set(["fd00:ec2:254", "fd20:ce:254", "fd00:42:42"]);

/**
 * Whether nothing may be asked of a host that a registered instance named, as the URL parser spells it: whoever may
 * register could else have us ask what only this machine may. What a name resolves to is not known here: a network that
 * has to be closed to instances is closed by a firewall. Loopback and private addresses are where services live.
 */
export function isRefusedHost(hostname: string): boolean {
  if (hostname.startsWith("[")) return isRefusedIpv6(ipv6Groups(hostname.slice(1, -1)) ?? []);
  return REFUSED_IPV4.test(hostname) || METADATA_NAMES.test(hostname);
}

function isRefusedIpv6(groups: number[]): boolean {
  const [first = 0, second = 0] = groups;
  const isLoopback = groups.slice(0, 7).every((group) => group === 0) && groups[7] === 1;
  if (isLoopback) return false;
  const isLinkLocal = (first & 0xffc0) === 0xfe80;
  const isMulticast = first >> 8 === 0xff;
  const isMetadata = METADATA_IPV6.has([first, second, groups[7] ?? 0].map((group) => group.toString(16)).join(":"));
  return isLinkLocal || isMulticast || isMetadata || leadsToRefusedIpv4(groups);
}

/** Compatible, mapped, translated (RFC 6052) and 6to4 addresses are IPv4 ones in another coat. */
function leadsToRefusedIpv4(groups: number[]): boolean {
  const [first, second, third = 0] = groups;
  const isEmpty = (from: number, to: number) => groups.slice(from, to).every((group) => group === 0);
  const isEmbedded = isEmpty(0, 4) || (first === 0x64 && second === 0xff9b && (third === 1 || isEmpty(2, 6)));
  if (isEmbedded) return REFUSED_IPV4.test(dotted(groups[6] ?? 0, groups[7] ?? 0));
  return first === 0x2002 && REFUSED_IPV4.test(dotted(second ?? 0, third));
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}
