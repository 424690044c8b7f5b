import { answer, done } from "../answer.ts";
import { textField } from "../body.ts";
import { badRequest, nothingHere } from "../refusal.ts";
import type { Handler } from "../routes.ts";
import { DEFAULT_POLICY, type Policy, RESERVED, ROOT_POLICY } from "./built-in.ts";
import { parsePolicy } from "./policy.ts";
import { deletePolicy, findPolicy, listPolicyNames, putPolicy } from "./store.ts";

const MAX_NAME_CHARACTERS = 512;

export const listPolicies: Handler = async ({ server }) => {
  const names = new Set([...(await listPolicyNames(server.db)), DEFAULT_POLICY.name]);
  return answer(server, { keys: [...[...names].toSorted(), ROOT_POLICY.name] });
};

export const readPolicy: Handler = async ({ server, params: [given = ""] }) => {
  const name = given.toLowerCase();
  const found = name === ROOT_POLICY.name ? ROOT_POLICY : ((await findPolicy(server.db, name)) ?? builtIn(name));
  if (!found) throw nothingHere();
  return answer(server, { name: found.name, policy: found.hcl });
};

export const writePolicy: Handler = async ({ server, params: [given = ""], body }) => {
  const name = given.toLowerCase();
  if (RESERVED.includes(name)) throw badRequest(`cannot update "${name}" policy`);
  if (name.length > MAX_NAME_CHARACTERS) throw badRequest("policy name is too long");
  const text = textField(await body(), "policy");
  if (!text) throw badRequest("'policy' parameter not supplied or empty");
  const hcl = decoded(text);
  await putPolicy(server.db, { name, hcl, rules: rulesOf(hcl) });
  return done(server, name === given ? [] : [`policy name was converted to ${name}`]);
};

export const removePolicy: Handler = async ({ server, params: [given = ""] }) => {
  const name = given.toLowerCase();
  if (RESERVED.includes(name)) throw badRequest(`cannot delete "${name}" policy`);
  if (name === DEFAULT_POLICY.name) throw badRequest("cannot delete default policy");
  await deletePolicy(server.db, name);
  return done(server);
};

function builtIn(name: string): Policy | undefined {
  return name === DEFAULT_POLICY.name ? DEFAULT_POLICY : undefined;
}

function rulesOf(hcl: string) {
  try {
    return parsePolicy(hcl);
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest(`failed to parse policy: ${error.message}`);
    throw error;
  }
}

/** A text that is base64 is taken for what it encodes. */
function decoded(text: string): string {
  if (text.trim() === "" || !/^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(text)) return text;
  try {
    const bytes = Uint8Array.from(atob(text.replace(/\s/g, "")), (char) => char.charCodeAt(0));
    const inner = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return inner.includes("\0") ? text : inner;
  } catch {
    return text;
  }
}
