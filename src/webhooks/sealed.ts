import { type Sealing, sealing } from "../passwords/sealing.ts";

/** The secret of a webhook, as its row has it. */
export type SealedSecret = {
  /** The webhook's. */
  id: string;
  secret: string;
};

/** How secrets of webhooks are sealed, each with its webhook's id for context; `key` is 32 bytes in base64url. */
export function secretSealing(key: string, randomBytes: (length: number) => Uint8Array): Sealing {
  return sealing(key, { purpose: "webhooks", randomBytes });
}

/** How many of `secrets` the key does not open: those of another key, and all of them where it is none. */
export async function countClosed(key: string, secrets: readonly SealedSecret[]): Promise<number> {
  const { open } = secretSealing(key, (length) => crypto.getRandomValues(new Uint8Array(length)));
  const isClosed = await Promise.all(secrets.map(({ id, secret }) => open(secret, id).then(() => false, () => true)));
  return isClosed.filter(Boolean).length;
}
