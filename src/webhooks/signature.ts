import { fromBase64, toBase64 } from "../passwords/base64.ts";

/** What is signed: the event's id, when it is sent in seconds since the epoch, and the body as it is sent. */
export type Message = { id: string; timestamp: number; body: string };

const PREFIX = "whsec_";
/** Of 24 to 64, as Standard Webhooks has it. */
const SECRET_BYTES = 32;

/** A secret in the form of Standard Webhooks: `whsec_` and its bytes in base64. */
export function newSecret(randomBytes: (length: number) => Uint8Array): string {
  return PREFIX + toBase64(randomBytes(SECRET_BYTES));
}

/** `webhook-signature` (Standard Webhooks 1.0): one signature for each secret, with spaces between them. */
export async function signatures(secrets: readonly string[], { id, timestamp, body }: Message): Promise<string> {
  const content = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const signed = await Promise.all(secrets.map((secret) => sign(secret, content)));
  return signed.map((signature) => `v1,${toBase64(signature)}`).join(" ");
}

async function sign(secret: string, content: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const key = await crypto.subtle.importKey("raw", fromBase64(secret.slice(PREFIX.length)), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, content));
}
