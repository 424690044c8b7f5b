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

function ipv6Groups(address: string): number[] | undefined {
  const url = `http://[${address}]`;
  if (!URL.canParse(url)) return undefined;
  // The URL parser has written it with one `::` at most, and without a dotted tail.
  const [head = "", tail] = new URL(url).hostname.slice(1, -1).split("::");
  const before = hexGroups(head);
  const after = hexGroups(tail ?? "");
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function hexGroups(text: string): number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}
