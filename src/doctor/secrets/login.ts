import * as z from "zod";
import { errorsOf } from "../../secrets/answer.ts";
import { jsonOf } from "../../http/upstream.ts";
import type { Ask } from "../client.ts";
import { durationOf } from "../duration.ts";
import type { Finding } from "../finding.ts";
import { answerOf } from "../reach.ts";
import type { AppRole } from "./approle.ts";
import { found, SYSTEM } from "./found.ts";

const LoginSchema = z.object({
  auth: z.object({
    client_token: z.string().min(1),
    policies: z.array(z.string()),
    metadata: z.object({ role_name: z.string().optional() }).nullish(),
    lease_duration: z.number(),
    renewable: z.boolean(),
    num_uses: z.number().optional(),
  }),
});

type Auth = z.infer<typeof LoginSchema>["auth"];

export type Session = { approle: AppRole; token: string; policies: readonly string[]; findings: Finding[] };

const SHORT_S = 120;

/** One login: a wrong secret-id counts towards the lock of its role, so it is never tried twice. */
export async function logIn(ask: Ask, approle: AppRole, { url, namespace }: { url: string; namespace: string | undefined }): Promise<Session | Finding> {
  const { name: service, role, settings, roleId, secretId } = approle;
  const outcome = await ask({ method: "POST", path: "/auth/approle/login", json: { role_id: roleId, secret_id: secretId } });
  const { answer, fault } = answerOf({ system: SYSTEM, setting: "SECRETS_URL", url }, outcome);
  if (fault) return fault;
  const { data } = answer.status === 200 ? LoginSchema.safeParse(jsonOf(answer.text)) : {};
  if (data) return sessionOf({ ...approle, role: data.auth.metadata?.role_name ?? role }, data.auth);
  if (answer.status === 404 && errorsOf(answer).includes("namespace not found")) return found("login-namespace", { service, namespace: namespace ?? "" });
  if (answer.status === 400) return found("login-refused", { service, role, ...settings });
  if (answer.status === 403 || answer.status === 404) return found("login-locked", { service });
  return found("login-odd", { service, status: answer.status });
}

function sessionOf(approle: AppRole, auth: Auth): Session {
  const login = found("login", { service: approle.name, ...approle.settings });
  return { approle, token: auth.client_token, policies: auth.policies, findings: [login, tokenFinding(approle, auth)] };
}

function tokenFinding({ name: service, role }: AppRole, { lease_duration: ttl, renewable, num_uses: uses = 0 }: Auth): Finding {
  if (uses > 0) return found("token-uses", { service, role, uses });
  const values = { service, role, ttl: durationOf(ttl) };
  if (ttl > 0 && ttl < SHORT_S) return found("token-short", values);
  return found(renewable ? "token" : "token-not-renewable", values);
}
