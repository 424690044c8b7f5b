import { ipv6Groups } from "../http/ipv6.ts";

/**
 * The name under which requests from `address` are counted: an IPv4 address, or the /64 of an IPv6 address, which one
 * subscriber has at the least.
 */
export function sourceKey(address: string | undefined): string {
  if (address === undefined || address === "") return "unknown";
  if (!address.includes(":")) return address;
  const groups = ipv6Groups(address.replace(/%.*$/, ""));
  if (!groups) return "unknown";
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) return groups.slice(6).flatMap((group) => [group >> 8, group & 255]).join(".");
  return `${groups.slice(0, 4).map((group) => group.toString(16)).join(":")}::/64`;
}
