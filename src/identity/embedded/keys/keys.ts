import { base64url, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type CryptoKey, type JWK } from "jose";
import type { Database } from "../../../database/client.ts";
import { findKeys, keepKeys, type StoredKeys } from "./store.ts";

export type Keys = {
  /** RS256, for access and ID tokens. */
  kid: string;
  privateKey: CryptoKey;
  publicKey: CryptoKey;
  /** RFC 7517, with `use` and `alg`. */
  publicJwk: JWK;
  /** HS512, for refresh tokens: nobody but this server reads them. */
  refreshKid: string;
  refreshSecret: Uint8Array;
};

/** The realm's keys, made at the first start and read once per process; a failure is tried anew by the next caller. */
export function keyRing(db: Database): () => Promise<Keys> {
  let read: Promise<Keys> | undefined;
  return () => {
    read ??= readKeys(db).catch((error: unknown) => {
      read = undefined;
      throw error;
    });
    return read;
  };
}

async function readKeys(db: Database): Promise<Keys> {
  const stored = (await findKeys(db)) ?? (await makeKeys(db));
  const { n, e } = stored.privateKey;
  const publicJwk: JWK = { kid: stored.kid, kty: "RSA", alg: "RS256", use: "sig", n, e };
  return {
    kid: stored.kid,
    privateKey: (await importJWK(stored.privateKey, "RS256")) as CryptoKey,
    publicKey: (await importJWK(publicJwk, "RS256")) as CryptoKey,
    publicJwk,
    refreshKid: stored.refreshKid,
    refreshSecret: base64url.decode(stored.refreshSecret),
  };
}

async function makeKeys(db: Database): Promise<StoredKeys> {
  const { privateKey } = await generateKeyPair("RS256", { modulusLength: 2048, extractable: true });
  const jwk = await exportJWK(privateKey);
  await keepKeys(db, {
    kid: await calculateJwkThumbprint(jwk),
    privateKey: jwk,
    refreshKid: crypto.randomUUID(),
    refreshSecret: base64url.encode(crypto.getRandomValues(new Uint8Array(64))),
  });
  // Read back: another instance may have been first.
  const kept = await findKeys(db);
  if (!kept) throw new Error("Cannot make the realm's keys: the database did not keep them");
  return kept;
}
