/** Whether both are the same bytes, in a time that depends on their lengths only. */
export function isSameBytes(one: Uint8Array, other: Uint8Array): boolean {
  let difference = one.length ^ other.length;
  for (const [index, byte] of one.entries()) difference |= byte ^ (other[index] ?? 0);
  return difference === 0;
}

/** Whether `given` is the secret `expected`, in a time that does not depend on where they differ. */
export async function isSameSecret(given: string, expected: string): Promise<boolean> {
  const [one, other] = await Promise.all([digest(given), digest(expected)]);
  return isSameBytes(one, other);
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}
