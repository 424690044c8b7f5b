import type { Context } from "hono";
import { shell, type ShellNeeds } from "../http/shell.ts";
import type { IdentityProvider, Tokens } from "../identity/keycloak.ts";
import { createIdentityUser } from "./identity-user.ts";
import * as routes from "./routes.ts";
import { refresh, signIn, signOut } from "./sign-in.ts";
import type { UserService } from "./user-service.ts";

export type AuthNeeds = Pick<ShellNeeds, "now" | "log" | "verify" | "health" | "timeout" | "documentationScript" | "metrics" | "metricsAccess" | "sharesPending"> & {
  identity: IdentityProvider;
  userService: UserService;
  /** Whether `GET /api/auth/authenticate` is offered. */
  offersGetLogin: boolean;
};

const DESCRIPTION =
  "Signs users in, renews and ends their sessions. `POST /api/auth/authenticate` answers the access token that the other services take as bearer token.";
const TAGS = {
  Authentication: "Tokens for users.",
  Internal: "For other services, with a token that has `ROLE_INTERNAL_SERVICE`; not reached through the gateway.",
};

/** When the credentials moved out of the query (RFC 9745: seconds since the epoch). */
const DEPRECATED_SINCE = "@1795219200";

export function auth(needs: AuthNeeds) {
  const { app, on, metrics } = shell({
    ...needs,
    name: "auth-service",
    title: "Authentication service",
    description: DESCRIPTION,
    tags: TAGS,
  });

  const signIns = metrics.counter("gatehouse_sign_ins_total", { help: "Sign-ins by how they ended", label: "outcome" });

  on(routes.authenticate, async (c) => tokenAnswer(c, await signIns.around(signIn(needs, c.get("call"), c.req.valid("json")))));

  if (needs.offersGetLogin) {
    on(routes.authenticateByQuery, async (c) => {
      c.header("deprecation", DEPRECATED_SINCE);
      return tokenAnswer(c, await signIns.around(signIn(needs, c.get("call"), c.req.valid("query"))));
    });
  }

  on(routes.refresh, async (c) => {
    const tokens = await refresh(needs, c.get("call"), c.req.valid("json").refresh_token);
    return c.json(tokens, 200, { "cache-control": "no-store" });
  });

  on(routes.logout, async (c) => {
    await signOut(needs, c.get("call"), c.req.valid("json").refresh_token);
    return c.body(null, 204);
  });

  on(routes.createIdentityUser, async (c) => {
    await createIdentityUser(needs.identity, c.get("call"), c.req.valid("json"));
    return c.json({ responseCode: "201" as const, response: "User created" }, 200);
  });

  return app;
}

/** Plain text, but JSON for who accepts `application/json` and no plain text. */
function tokenAnswer(c: Context, tokens: Tokens) {
  const accept = c.req.header("accept") ?? "";
  const wantsJson = /application\/json/i.test(accept) && !/text\/(plain|\*)|\*\/\*/i.test(accept);
  c.header("cache-control", "no-store");
  c.header("vary", "accept");
  return wantsJson ? c.json(tokens, 200) : c.text(tokens.access_token, 200);
}
