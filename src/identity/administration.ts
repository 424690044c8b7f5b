import type { Call } from "../http/call.ts";
import { path } from "../http/path.ts";
import { upstream } from "../http/upstream.ts";
import { adminRest, IDENTITY_PROVIDER as name } from "./admin-rest.ts";
import { clientAdministration } from "./administration-clients.ts";
import { roleAdministration } from "./administration-roles.ts";
import type { KeycloakNeeds } from "./keycloak.ts";
import { checkRealm } from "./realm-check.ts";
import { serviceToken } from "./service-token.ts";

export type IdentityAdministration = ReturnType<typeof identityAdministration>;

/**
 * The client of Keycloak's Admin REST (26.x) for clients and realm roles. Its service account needs `manage-clients`,
 * `manage-users` (a role is given to a service account by the right over users) and `manage-realm`.
 */
export function identityAdministration(needs: KeycloakNeeds) {
  const { url, realm, fetch, now, tokenTimeout } = needs;
  const provider = upstream({ name, url, fetch, now, timeout: tokenTimeout });
  // Whoever asks how we are takes no place from who works.
  const checks = upstream({ name, url, fetch, now, timeout: tokenTimeout, maxInFlight: 8 });
  const token = serviceToken({ ...needs, provider, tokenPath: path`/realms/${realm}/protocol/openid-connect/token` });
  const rest = adminRest({ url, realm, fetch, now, token });

  return {
    ...clientAdministration(rest),
    ...roleAdministration(rest),

    /** Throws unless the realm answers by the name that we know it by. */
    check: (call: Call) => checkRealm(checks, call, { url, realm }),
  };
}
