/**
 * The canonical form of an e-mail address, by which it is unique: trimmed, NFKC, lower case, the domain in punycode
 * (UTS #46). Undefined when there is no such address. Folded here and nowhere else: Postgres' `lower()` folds differently.
 */
export function emailKey(email: string): string | undefined {
  const folded = email.trim().normalize("NFKC").toLowerCase();
  const at = folded.lastIndexOf("@");
  const local = folded.slice(0, at);
  const domain = hostname(folded.slice(at + 1));
  const key = `${local}@${domain}`;
  return at > 0 && domain !== undefined && key.length <= 254 && local.length <= 64 && ADDRESS.test(key) ? key : undefined;
}

/** The dot-atom of RFC 5322, 3.2.3, at a domain of at least two labels. */
const ADDRESS = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]([a-z0-9-]*[a-z0-9])?$/;

function hostname(domain: string): string | undefined {
  // The URL parser would take a port, a path or user info for part of it.
  if (!/^[\p{L}\p{M}\p{N}.-]+$/u.test(domain)) return undefined;
  try {
    return new URL(`http://${domain}`).hostname;
  } catch {
    return undefined;
  }
}
