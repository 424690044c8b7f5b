import { isSameSecret } from "../../../passwords/constant-time.ts";
import type { Realm } from "../realm.ts";
import { oauthError, type Refusal } from "../refusal.ts";
import type { Client } from "./client.ts";
import { findClient } from "./store.ts";

type Credentials = { id: string; secret: string | undefined };

/** The client that asks, by HTTP Basic or by `client_id` and `client_secret` in the body (RFC 6749, section 2.3.1). */
export async function authenticateClient(realm: Realm, form: URLSearchParams, authorization: string | undefined): Promise<Client> {
  const { id, secret } = credentials(form, authorization);
  const client = await findClient(realm.db, id);
  if (!client?.enabled) throw refused("invalid_client");
  if (client.settings.publicClient) return client;
  // An empty secret is none: nobody shall be let in by leaving the field out of a configuration.
  if (!secret || !client.secret || !(await isSameSecret(secret, client.secret))) throw refused("unauthorized_client");
  return client;
}

function credentials(form: URLSearchParams, authorization: string | undefined): Credentials {
  const inBody = form.get("client_id");
  const basic = decodedBasic(authorization);
  if (basic) {
    if (inBody !== null && inBody !== basic.id) throw refused("unauthorized_client");
    return basic;
  }
  if (inBody === null) throw refused("invalid_client");
  return { id: inBody, secret: form.get("client_secret") ?? undefined };
}

function decodedBasic(authorization: string | undefined): Credentials | undefined {
  const [, encoded] = /^Basic +((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/i.exec(authorization ?? "") ?? [];
  if (encoded === undefined) return undefined;
  const [id = "", ...secret] = atob(encoded).split(":");
  if (secret.length === 0) return undefined;
  // Each half is form-encoded before they are joined: a secret with a bare `%` cannot be read.
  try {
    return { id: formDecoded(id), secret: formDecoded(secret.join(":")) };
  } catch {
    throw oauthError(400, "unauthorized_client", "Unexpected error when authenticating client");
  }
}

function formDecoded(text: string): string {
  return decodeURIComponent(text.replaceAll("+", " "));
}

function refused(error: "invalid_client" | "unauthorized_client"): Refusal {
  return oauthError(401, error, "Invalid client or Invalid client credentials");
}
