import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { bearerOf } from "./bearer.ts";
import { allowOrigin } from "./origin.ts";
import type { Realm } from "./realm.ts";
import { forbidden, unauthorized } from "./refusal.ts";
import { clientRoles } from "./roles/role.ts";
import { holderOf } from "./tokens/holder.ts";
import { readToken } from "./tokens/read.ts";

/** Roles of the client `realm-management`, which say what a caller of the Admin REST may do. */
export type Right =
  | "manage-users" | "view-users" | "query-users"
  | "manage-clients" | "view-clients" | "query-clients"
  | "manage-realm" | "view-realm" | "manage-identity-providers";

export type Admin = { Variables: { rights: ReadonlySet<string> } };

/** Lets bearers of a live access token through; what each may do is read from the database at every call. */
export function adminAccess(realm: Realm) {
  return createMiddleware<Admin>(async (c, next) => {
    allowOrigin(c, []);
    const token = await readToken(realm, bearerOf(c) ?? "");
    if (token?.typ !== "Bearer") throw unauthorized();
    const holder = await holderOf(realm, token);
    if (typeof holder === "string") throw unauthorized();
    c.set("rights", new Set(clientRoles(holder.roles).get("realm-management")));
    await next();
  });
}

export function may(c: Context<Admin>, ...anyOf: Right[]): boolean {
  return anyOf.some((right) => c.var.rights.has(right));
}

/** Throws 403 unless the caller has one of these rights. */
export function demand(c: Context<Admin>, ...anyOf: Right[]): void {
  if (!may(c, ...anyOf)) throw forbidden();
}
