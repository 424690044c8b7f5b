import { answer, done, iso, json, envelope } from "../answer.ts";
import { type Body, countField, secondsField, textField } from "../body.ts";
import { badRequest, nothingHere, oneError, Refusal, refuse } from "../refusal.ts";
import type { Exchange, Handler } from "../routes.ts";
import { findRole } from "./role-store.ts";
import type { RoleSettings } from "./role.ts";
import { destroyByAccessor, findByAccessor, insertSecretId, listAccessors } from "./secret-id-store.ts";

export const mintSecretId: Handler = async ({ server, params: [given = ""], body }) => {
  const name = given.toLowerCase();
  const role = await findRole(server.db, name);
  if (!role) throw missingRole(404, name);
  const sent = await body();
  const { ttl, uses } = limitsIn(sent, role.settings);
  const metadata = metadataIn(sent);
  const secretId = server.newId();
  const accessor = server.newId();
  const created = server.now();
  const hash = await server.keys.recognise("secret-id", secretId);
  const expires = ttl > 0 ? created + ttl * 1000 : null;
  const isStored = await insertSecretId(server.db, { role: name, hash, accessor, metadata, created, ttl, expires, usesLeft: uses || null });
  if (!isStored) throw missingRole(404, name);
  return answer(server, { secret_id: secretId, secret_id_accessor: accessor, secret_id_num_uses: uses, secret_id_ttl: ttl });
};

function limitsIn(body: Body, settings: RoleSettings): { ttl: number; uses: number } {
  const ttl = secondsField(body, "ttl") || settings.secret_id_ttl;
  const uses = countField(body, "num_uses") ?? settings.secret_id_num_uses;
  if (settings.secret_id_ttl > 0 && ttl > settings.secret_id_ttl) throw badRequest("ttl cannot be longer than the role's secret_id_ttl");
  if (settings.secret_id_num_uses > 0 && (uses === 0 || uses > settings.secret_id_num_uses)) {
    throw badRequest("num_uses cannot be higher than the role's secret_id_num_uses");
  }
  for (const name of ["cidr_list", "token_bound_cidrs"]) {
    const list = body[name];
    if (list !== undefined && list !== "" && !(Array.isArray(list) && list.length === 0)) throw badRequest(`${name} is not supported by this server`);
  }
  return { ttl, uses };
}

/** A text holding a flat JSON object of texts: that it is a text is Vault's way. */
function metadataIn(body: Body): Record<string, string> {
  const text = textField(body, "metadata");
  if (!text) return {};
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw badMetadata();
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) throw badMetadata();
  const entries = Object.entries(parsed);
  if (!entries.every(([key, value]) => typeof value === "string" && isStorable(key) && isStorable(value))) throw badMetadata();
  return Object.fromEntries(entries);
}

function isStorable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

function badMetadata() {
  return badRequest("failed to parse metadata: failed to parse the input: invalid <key,value> format");
}

export const listSecretIds: Handler = async ({ server, params: [given = ""] }) => {
  const name = given.toLowerCase();
  if (!(await findRole(server.db, name))) throw missingRole(400, name);
  const keys = await listAccessors(server.db, name, server.now());
  if (keys.length === 0) throw nothingHere();
  return answer(server, { keys });
};

export const lookupAccessor: Handler = async (exchange) => {
  const { server } = exchange;
  const of = await accessorIn(exchange);
  const found = await findByAccessor(server.db, of);
  if (!found) {
    const error = `failed to find accessor entry for secret_id_accessor: "${of.accessor}"`;
    return json(envelope(server, { error }), 404);
  }
  return answer(server, {
    cidr_list: [],
    creation_time: iso(found.created),
    expiration_time: found.expires === null ? "0001-01-01T00:00:00Z" : iso(found.expires),
    last_updated_time: iso(found.created),
    metadata: found.metadata,
    secret_id_accessor: found.accessor,
    secret_id_num_uses: found.usesLeft ?? 0,
    secret_id_ttl: found.ttl,
    token_bound_cidrs: [],
  });
};

export const destroyAccessor: Handler = async (exchange) => {
  const of = await accessorIn(exchange);
  if (await destroyByAccessor(exchange.server.db, of)) return done(exchange.server);
  throw oneError(500, `failed to find accessor entry for secret_id_accessor: "${of.accessor}"`);
};

async function accessorIn({ server, params: [given = ""], body }: Exchange) {
  const role = given.toLowerCase();
  if (!(await findRole(server.db, role))) throw oneError(500, `role "${role}" does not exist`);
  const accessor = textField(await body(), "secret_id_accessor");
  if (!accessor) throw badRequest("missing secret_id_accessor");
  return { role, accessor, now: server.now() };
}

function missingRole(status: 400 | 404, name: string): Refusal {
  return refuse(status, `role "${name}" does not exist`);
}
