import { adminRights, PLATFORM_APPROLES } from "../../secrets/platform-policies.ts";
import type { Finding } from "../finding.ts";
import type { AppRole } from "./approle.ts";
import { found } from "./found.ts";

/** Path → the capabilities of a token on it, as `sys/capabilities-self` answers. */
export type Capabilities = Readonly<Record<string, readonly string[]>>;

/** A name that no service has: what counts is the rule that its path falls under. */
const ANY = "gatehouse-doctor";
const OWN_ROLES = Object.keys(PLATFORM_APPROLES);
/** What nobody of ours has business at, and what could be done there. */
const FOREIGN = ["sys/mounts/gatehouse-doctor", "sys/auth/gatehouse-doctor", "sys/policies/acl/gatehouse-doctor", "auth/token/create-orphan", "secret/data/gatehouse-doctor"];
const POWERS = ["create", "read", "update", "patch", "delete", "list", "sudo"];

type Needs = Readonly<Record<string, readonly string[]>>;

/** What each service does at the store; policies by name, since a policy's path ends in a glob or has none. */
export function neededOf({ service }: Pick<AppRole, "service">, policies: readonly string[]): Needs {
  if (service === "config") return { [`secret/data/platform/${ANY}/dev`]: ["read"] };
  return Object.fromEntries(adminRights({ policies, platformRoles: [] }).map(([path, capabilities]) => [path.replace("+", ANY), capabilities]));
}

/** Every path whose capabilities tell something; `held` are the policies of the token itself. */
export function pathsOf(needed: Needs, held: readonly string[]): string[] {
  return [...new Set([...Object.keys(needed), ...FOREIGN, ...held.map(policyPath), ...OWN_ROLES.flatMap((role) => [mintPath(role), mintPath(otherwise(role)), rolePath(otherwise(role))])])];
}

export function rightsFindings({ name: service, settings, ...role }: AppRole, { needed, held, has }: { needed: Needs; held: readonly string[]; has: Capabilities }): Finding[] {
  const may = (path: string) => (has[path] ?? []).filter((capability) => capability !== "deny");
  if (Object.keys(needed).some((path) => may(path).includes("root"))) return [found("capabilities-root", { service, role: role.role })];
  if (Object.keys(has).every((path) => may(path).length === 0)) return [withoutPolicy({ name: service, ...role }, held)];
  const missing = Object.entries(needed).flatMap(([path, capabilities]) => {
    const lacking = capabilities.filter((capability) => !may(path).includes(capability));
    return lacking.length > 0 ? [found("capabilities-missing", { service, path, missing: lacking.join(", ") })] : [];
  });
  const first = missing.length > 0 ? missing : [found("capabilities", { service, count: Object.keys(needed).length })];
  const own = held.filter((policy) => policy !== "default" && may(policyPath(policy)).some(isWriting)).map((policy) => found("capabilities-own", { service, policy }));
  const minting = OWN_ROLES.filter((other) => may(mintPath(other)).some(isWriting)).map((other) => found("capabilities-mint", { service, other }));
  const excess = [...Object.keys(needed), ...FOREIGN].filter((path) => !held.map(policyPath).includes(path)).flatMap((path) => beyond(service, { path, capabilities: may(path), needed: needed[path] ?? [] }));
  const all = [...own, ...minting, ...excess];
  const powers = [
    ...(needed[rolePath(ANY)]?.includes("create") && may(rolePath(ANY)).includes("create") ? ["give a new AppRole any policy"] : []),
    ...powerOf("make credentials of", (name) => may(mintPath(name)).some(isWriting)),
    ...powerOf("delete", (name) => may(rolePath(name)).includes("delete")),
  ];
  const limit = powers.length > 0 ? [found("capabilities-left", { service, powers: powers.join(", to "), secretId: settings.secretId })] : [];
  return [...first, ...all, ...(all.length + limit.length > 0 ? limit : [found("capabilities-least", { service })])];
}

function withoutPolicy({ name: service, service: of, role }: Omit<AppRole, "settings">, held: readonly string[]): Finding {
  const own = held.filter((policy) => policy !== "default").join('", "');
  const policy = PLATFORM_APPROLES[of === "admin" ? "admin-service" : "config-server"];
  return own === "" ? found("policy-none", { service, role, policy }) : found("policy-missing", { service, policy: own });
}

/** What can be done to the platform's own AppRoles by another spelling of their names. */
function powerOf(verb: string, may: (name: string) => boolean): string[] {
  return OWN_ROLES.map(otherwise).some(may) ? [`${verb} the platform's own AppRoles`] : [];
}

type On = { path: string; capabilities: readonly string[]; needed: readonly string[] };

function beyond(service: string, { path, capabilities, needed }: On): Finding[] {
  const more = POWERS.filter((power) => capabilities.includes(power) && !needed.includes(power));
  if (more.length === 0) return [];
  if (path === rolePath(ANY) && more.includes("update")) return [found("capabilities-overwrite", { service })];
  return [found("capabilities-excess", { service, capabilities: more.join(", "), path: path.replace(ANY, "…") })];
}

function isWriting(capability: string): boolean {
  return ["create", "update", "patch", "sudo", "root"].includes(capability);
}

function policyPath(name: string): string {
  return `sys/policies/acl/${name}`;
}

function rolePath(role: string): string {
  return `auth/approle/role/${role}`;
}

function mintPath(role: string): string {
  return `${rolePath(role)}/secret-id`;
}

/** Names of AppRoles are lower-cased only after the rules were asked, so that a rule for one spelling says nothing of the others. */
function otherwise(role: string): string {
  return role.toUpperCase();
}
