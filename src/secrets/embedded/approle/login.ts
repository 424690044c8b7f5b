import { answer } from "../answer.ts";
import { type Body, textField } from "../body.ts";
import { badRequest, refuse } from "../refusal.ts";
import type { Server } from "../server.ts";
import { authOf } from "../tokens/app.ts";
import { findRoleById } from "./role-store.ts";
import { tokenPolicies, tokenTtl } from "./role.ts";
import { logIn } from "./secret-id-store.ts";

/** `POST auth/approle/login`: a role-id and one of its secret-ids for a token. */
export async function login(server: Server, body: Body): Promise<Response> {
  const roleId = textField(body, "role_id");
  const secretId = textField(body, "secret_id");
  if (!roleId) throw refuse(500, "missing role_id");
  if (!secretId) throw badRequest("missing secret_id");
  const role = await findRoleById(server.db, roleId);
  if (!role) throw invalid();
  const policies = tokenPolicies(role.settings);
  if (policies.includes("root")) throw badRequest("auth methods cannot create root tokens");
  const { ttl, max } = tokenTtl(role.settings);
  const created = server.now();
  const given = server.newToken();
  const token = {
    hash: await server.keys.recognise("token", given),
    accessor: server.newId(),
    policies,
    created,
    ttl,
    expires: created + ttl * 1000,
    endsAtLast: created + max * 1000,
    usesLeft: role.settings.token_num_uses || null,
  };
  const metadata = await logIn(server.db, { role, secretId: await server.keys.recognise("secret-id", secretId), token });
  if (!metadata) throw invalid();
  return answer(server, null, { auth: authOf({ ...token, metadata }, { token: given, seconds: ttl }) });
}

function invalid() {
  return badRequest("invalid role or secret ID");
}
