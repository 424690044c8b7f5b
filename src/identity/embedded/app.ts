import { type Context, Hono } from "hono";
import { routePath } from "hono/route";
import { Overload } from "../../passwords/gate.ts";
import { describe, type Log } from "../../http/log.ts";
import { problemIn } from "../../http/problem.ts";
import { adminAccess, type Admin } from "./access.ts";
import { clientsAdmin } from "./clients/app.ts";
import { certsEndpoint, discoveryEndpoint, realmEndpoint } from "./discovery.ts";
import { refuseOtherMethods } from "./methods.ts";
import { openRealm, type IdentityNeeds, type Realm } from "./realm.ts";
import { notFound, oauthError, Refusal, unforeseen } from "./refusal.ts";
import { rolesAdmin, rolesByIdAdmin } from "./roles/app.ts";
import { roleMappingsAdmin } from "./roles/mappings.ts";
import { tokenEndpoint } from "./tokens/endpoint.ts";
import { introspectEndpoint } from "./tokens/introspect.ts";
import { logoutEndpoint } from "./tokens/logout.ts";
import { revokeEndpoint } from "./tokens/revoke.ts";
import { userinfoEndpoint } from "./tokens/userinfo.ts";
import { sessionsAdmin, usersAdmin } from "./users/app.ts";

export type { IdentityNeeds } from "./realm.ts";

/** An OpenID provider with an Admin REST that speaks Keycloak's wire (26.7, refresh tokens used once) over our database. */
export function embeddedIdentity(needs: IdentityNeeds): Hono {
  const realm = openRealm(needs);
  const app = new Hono();
  app.use(async (c, next) => {
    if (new URL(c.req.url).pathname.includes(";")) throw oauthError(400, "invalidCharacter", "Request path contains invalid character ';'");
    await next();
    for (const [name, value] of Object.entries(HEADERS)) c.res.headers.set(name, value);
  });
  app.route(`/realms/${realm.name}`, oidc(realm));
  app.route(`/admin/realms/${realm.name}`, admin(realm));
  app.all(`/realms/${realm.name}/*`, () => refuse("HTTP 404 Not Found"));
  app.all(`/admin/realms/${realm.name}/*`, () => refuse("HTTP 404 Not Found"));
  app.all("/realms/*", () => refuse("Realm does not exist"));
  app.all("/admin/realms/*", () => refuse("Realm not found."));
  app.notFound(() => notFound("Unable to find matching target resource method").response());
  app.onError((error, c) => failed(error, { c, log: realm.log }));
  return app;
}

const HEADERS = {
  "referrer-policy": "no-referrer",
  "strict-transport-security": "max-age=31536000; includeSubDomains",
  "x-content-type-options": "nosniff",
  "x-frame-options": "SAMEORIGIN",
  "x-robots-tag": "none",
};

function oidc(realm: Realm): Hono {
  const app = new Hono();
  const protocol = "/protocol/openid-connect";
  for (const path of ["token", "token/introspect", "revoke", "logout", "userinfo"]) {
    app.use(`${protocol}/${path}`, async (c, next) => {
      await next();
      if (!c.res.headers.has("cache-control")) c.res.headers.set("cache-control", "no-store");
      c.res.headers.set("pragma", "no-cache");
    });
  }
  app.get("/", realmEndpoint(realm));
  app.get("/.well-known/openid-configuration", discoveryEndpoint(realm));
  app.get(`${protocol}/certs`, certsEndpoint(realm));
  app.post(`${protocol}/token`, tokenEndpoint(realm));
  app.post(`${protocol}/token/introspect`, introspectEndpoint(realm));
  app.post(`${protocol}/revoke`, revokeEndpoint(realm));
  app.post(`${protocol}/logout`, logoutEndpoint(realm));
  app.on(["GET", "POST"], `${protocol}/userinfo`, userinfoEndpoint(realm));
  return refuseOtherMethods(app);
}

function admin(realm: Realm): Hono<Admin> {
  const app = new Hono<Admin>();
  app.use(adminAccess(realm));
  app.get("/", (c) => c.json({ realm: realm.name, registrationEmailAsUsername: false, bruteForceProtected: false, supportedLocales: [], organizationsEnabled: false }));
  app.route("/users", roleMappingsAdmin(realm));
  app.route("/users", usersAdmin(realm));
  app.route("/sessions", sessionsAdmin(realm));
  app.route("/roles", rolesAdmin(realm));
  app.route("/roles-by-id", rolesByIdAdmin(realm));
  app.route("/clients", clientsAdmin(realm));
  return app;
}

function refuse(error: string): never {
  throw notFound(error);
}

/** The only place where a failure becomes an answer. */
function failed(error: Error, { c, log }: { c: Context; log: Log }): Response {
  if (error instanceof Refusal) return error.response();
  if (error instanceof Overload) return busy("Too many passwords are being checked");
  const problem = problemIn(error);
  if (problem && problem.status >= 503) return busy("The database is not available");
  log({ level: "error", service: "identity", message: "Failed", method: c.req.method, route: routePath(c), status: 500, error: describe(error, true) });
  return unforeseen().response();
}

function busy(reason: string): Response {
  return new Response(`${reason}. Retry in 1 seconds.`, { status: 503, headers: { "retry-after": "1" } });
}
