import { destroyAccessor, listSecretIds, lookupAccessor, mintSecretId } from "./approle/secret-ids.ts";
import { listRoles, readRole, readRoleId, removeRole, writeRole } from "./approle/roles.ts";
import { envelope } from "./answer.ts";
import { readBody } from "./body.ts";
import { deleteData, deleteVersions, destroy, patchData, putData, readData, readSubkeys, undeleteVersions } from "./kv/data.ts";
import { deleteMetadata, listMetadata, readMetadata, writeMetadata } from "./kv/metadata.ts";
import { listPolicies, readPolicy, removePolicy, writePolicy } from "./policies/app.ts";
import type { Capability, Rule } from "./policies/policy.ts";
import { capabilitiesOn } from "./policies/rights.ts";
import { badRequest, denied, oneError, Refusal, refuse } from "./refusal.ts";
import { readRequest, type VaultRequest } from "./request.ts";
import type { Handler, Operation, Route } from "./routes.ts";
import type { Server } from "./server.ts";
import { lookupSelf, renewSelf, revokeSelf } from "./tokens/app.ts";
import { authenticate } from "./tokens/bearer.ts";

const ROLE = "^auth/approle/role/(\\w(?:[\\w.-]*\\w)?)";
const roleRoute = (rest: string) => new RegExp(`${ROLE}${rest}$`);

/** Everything that needs a token, in the order it is looked for. */
const routes: Route[] = [
  { path: /^sys\/policies\/acl\/?$/, list: listPolicies },
  { path: /^sys\/policies\/acl\/(.+)$/, isCaseless: true, read: readPolicy, write: writePolicy, delete: removePolicy },
  { path: /^auth\/approle\/role\/?$/, list: listRoles },
  { path: roleRoute(""), isCaseless: true, tellsCreation: true, read: readRole, write: writeRole, delete: removeRole },
  { path: roleRoute("/role-id"), isCaseless: true, read: readRoleId },
  { path: roleRoute("/secret-id/?"), isCaseless: true, write: mintSecretId, list: listSecretIds },
  { path: roleRoute("/secret-id-accessor/lookup"), isCaseless: true, write: lookupAccessor },
  { path: roleRoute("/secret-id-accessor/destroy"), isCaseless: true, write: destroyAccessor },
  { path: /^auth\/token\/lookup-self$/, read: lookupSelf },
  { path: /^auth\/token\/renew-self$/, write: renewSelf },
  { path: /^auth\/token\/revoke-self$/, write: revokeSelf },
  { path: /^secret\/data\/(.*)$/, tellsCreation: true, read: readData, write: putData, patch: patchData, delete: deleteData },
  { path: /^secret\/subkeys\/(.*)$/, read: readSubkeys },
  { path: /^secret\/metadata\/(.*)$/, tellsCreation: true, read: readMetadata, list: listMetadata, write: writeMetadata, delete: deleteMetadata },
  { path: /^secret\/delete\/(.*)$/, write: deleteVersions },
  { path: /^secret\/undelete\/(.*)$/, write: undeleteVersions },
  { path: /^secret\/destroy\/(.*)$/, write: destroy },
];

/** A good token first, then its rights, and only then whether there is anything at the path. */
export async function dispatch(server: Server, request: Request): Promise<Response> {
  const asked = readRequest(request);
  const { headers } = request;
  refuseUnsupported(headers);
  const token = await authenticate(server, headers);
  const route = routes.find(({ path }) => path.test(asked.path));
  const may = rightsOf(token.rules, asked, route);
  const handle = route?.[asked.operation];
  if (!route || !handle) throw notServed(server, asked, route);
  const params = route.path.exec(asked.path)?.slice(1) ?? [];
  return (handle satisfies Handler)({ server, params, query: new URL(request.url).searchParams, headers, body: () => readBody(request), token, may });
}

const NEEDED: Record<Operation, Capability[]> = { read: ["read"], list: ["list"], patch: ["patch"], delete: ["delete"], write: ["update"] };

/** Throws 403 unless the token may do this; which kind of write it may is for the handler, who knows what is there. */
function rightsOf(rules: Rule[], { path, operation }: VaultRequest, route: Route | undefined) {
  const spellings = new Set([path, ...(route?.isCaseless ? [path.toLowerCase()] : [])]);
  const sets = [...spellings].map((spelling) => capabilitiesOn(rules, spelling, { isList: operation === "list" }));
  const has = (capability: Capability) => sets.every((set) => set.has(capability));
  const needed: Capability[] = operation === "write" && route?.tellsCreation ? ["create", "update"] : NEEDED[operation];
  if (!needed.some(has)) throw denied();
  return { create: has("create"), update: has("update") };
}

/** What this server does not do is refused: to ignore it would hand out in clear what was to be wrapped, or from another tenant. */
function refuseUnsupported(headers: Headers): void {
  if (headers.get("x-vault-wrap-ttl")) throw badRequest("response wrapping is not supported by this server");
  const namespace = headers.get("x-vault-namespace") ?? "";
  if (!["", "/", "root", "root/"].includes(namespace)) throw refuse(404, "namespace not found");
}

function notServed(server: Server, { path }: VaultRequest, route: Route | undefined): Refusal {
  if (route) return oneError(405, "unsupported operation");
  if (path.startsWith("secret/")) {
    const warnings = ["Invalid path for a versioned K/V secrets engine. See the API docs for the appropriate API endpoints to use."];
    return new Refusal(404, envelope(server, null, { warnings }));
  }
  if (/^(sys|auth\/approle|auth\/token)\//.test(path)) return oneError(404, "unsupported path");
  return refuse(404, `no handler for route "${path}". route entry not found.`);
}
