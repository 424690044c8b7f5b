import * as z from "zod";
import { type Answer, jsonOf } from "../../http/upstream.ts";
import { type Ask, askOf, type Outside } from "../client.ts";
import { clockByDate } from "../clock.ts";
import { type Finding, type Findings, notChecked } from "../finding.ts";
import { answerOf, reached } from "../reach.ts";
import { isOlder, LEAST } from "../versions.ts";
import type { AppRole } from "./approle.ts";
import { found, SYSTEM } from "./found.ts";
import { logIn, type Session } from "./login.ts";
import { neededOf, pathsOf, rightsFindings } from "./rights.ts";
import { type Read, secretIdFinding } from "./secret-id.ts";

export type SecretsNeeds = Outside & {
  /** Base URL without `/v1`. */
  url: string;
  namespace: string | undefined;
  /** Of the services that run here. */
  approles: readonly AppRole[];
  /** Names of the policies that the administration service may write. */
  policies: readonly string[];
};

const HealthSchema = z.object({ initialized: z.boolean(), sealed: z.boolean(), standby: z.boolean(), version: z.string(), enterprise: z.boolean().optional() });
const MountSchema = z.object({ data: z.object({ type: z.string(), options: z.object({ version: z.string().optional() }).nullish() }) });
const CapabilitiesSchema = z.object({ data: z.record(z.string(), z.array(z.string())) });

/** What a Vault is like, seen from the platform. Each login makes a token, which is revoked at the end. */
export async function* secretsChecks({ url, namespace, approles, policies, ...outside }: SecretsNeeds): Findings {
  const headers = { "x-vault-request": "true", ...(namespace && { "x-vault-namespace": namespace }) };
  const ask = askOf({ name: "secrets store", url: `${url}/v1`, headers }, outside);
  const place = { system: SYSTEM, setting: "SECRETS_URL", url };
  // Else how it is would be told by statuses that a proxy has for itself.
  const query = { standbycode: "200", sealedcode: "200", uninitcode: "200" };
  const { answer: health, fault: away } = answerOf(place, await ask({ method: "GET", path: "/sys/health", query }));
  if (away) {
    yield away;
    return away.sentence;
  }
  yield reached(place);
  const clock = clockByDate(SYSTEM, health);
  if (clock) yield clock;
  const state = stateFindings(health);
  yield* state;
  const fault = state.find(({ status }) => status === "error");
  if (fault) return fault.sentence;

  const sessions: Session[] = [];
  try {
    for (const approle of approles) {
      const session = await logIn(ask, approle, { url, namespace });
      if ("token" in session) sessions.push(session);
      yield* "token" in session ? session.findings : [session];
    }
    const admin = sessions.find(({ approle }) => approle.service === "admin") ?? sessions[0];
    const rights = new Map<Session, Finding[]>();
    for (const session of sessions) rights.set(session, await capabilityFindings(session, reading(ask, session), policies));
    // Who may nothing at all sees no mount either.
    const seeing = [...(admin ? [admin] : []), ...sessions].find((session) => !rights.get(session)?.some(({ code }) => code.startsWith("policy-")));
    if (admin) yield seeing ? await mountFinding(seeing, ask) : notChecked(SYSTEM, "mount", "Nothing at secret/ is open to a token without rights");
    for (const session of sessions) {
      yield await secretIdFinding(session.approle, { own: reading(ask, session), admin: reading(ask, admin ?? session), now: outside.now });
      yield* rights.get(session) ?? [];
    }
  } finally {
    await Promise.all(sessions.map((session) => reading(ask, session)({ method: "POST", path: "/auth/token/revoke-self", json: {} })));
  }
  return sessions.length === 0 ? "No service of the platform could log in" : undefined;
}

function stateFindings(answer: Answer): Finding[] {
  const health = HealthSchema.safeParse(jsonOf(answer.text)).data;
  if (!health) return [found("not-vault", { status: answer.status })];
  const { version, initialized, sealed, standby, enterprise } = health;
  // OpenBao, which counts its versions by itself, has no such field.
  const isOld = isOlder(version, enterprise === undefined ? LEAST.openBao : LEAST.vault);
  const state = initialized ? (sealed ? "sealed" : standby ? "standby" : "state") : "not-initialised";
  return [found(state), found(isOld ? "version-old" : "version", { version })];
}

function reading(ask: Ask, { token }: Session): Read {
  return async (exchange) => {
    const outcome = await ask({ ...exchange, headers: { "x-vault-token": token } });
    return outcome.kind === "answer" && outcome.status === 200 ? outcome.text : undefined;
  };
}

/** The one place where a token without rights over mounts sees what is at a path. */
async function mountFinding({ approle: { name: service }, token }: Session, ask: Ask): Promise<Finding> {
  const outcome = await ask({ method: "GET", path: "/sys/internal/ui/mounts/secret", headers: { "x-vault-token": token } });
  // Any other 403 is that of a server without this path.
  if (outcome.kind === "answer" && outcome.status === 403 && outcome.text.includes("preflight capability check")) return found("mount-missing", { service });
  const mount = outcome.kind === "answer" && outcome.status === 200 ? MountSchema.safeParse(jsonOf(outcome.text)).data?.data : undefined;
  if (!mount) return notChecked(SYSTEM, "mount", "It does not tell what is at secret/");
  const version = mount.options?.version ?? "1";
  return mount.type === "kv" && version === "2" ? found("mount") : found("mount-version", { found: `${mount.type} ${version}` });
}

async function capabilityFindings({ approle, policies: held }: Session, read: Read, policies: readonly string[]): Promise<Finding[]> {
  const needed = neededOf(approle, policies);
  const text = await read({ method: "POST", path: "/sys/capabilities-self", json: { paths: pathsOf(needed, held) } });
  const has = CapabilitiesSchema.safeParse(jsonOf(text ?? "")).data?.data;
  if (!has) return [notChecked(SYSTEM, "capabilities", `${approle.name}: it may not ask for its capabilities (sys/capabilities-self, in the policy default)`)];
  return rightsFindings(approle, { needed, held, has });
}
