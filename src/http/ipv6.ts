/** The eight groups of an IPv6 address without a zone, or undefined for what is none. */
export function ipv6Groups(address: string): number[] | undefined {
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
