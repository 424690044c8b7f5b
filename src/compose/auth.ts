import { auth } from "../auth/app.ts";
import { userService } from "../auth/user-service.ts";
import { recordReader } from "../broker/reading.ts";
import { revocations } from "../events/revocations.ts";
import type { Call } from "../http/call.ts";
import type { Fetch } from "../http/fetch.ts";
import { checkAnswers, upstream } from "../http/upstream.ts";
import { keycloak } from "../identity/keycloak.ts";
import type { AuthSettings } from "../settings/services.ts";
import { counted, insightOf, type Runtime } from "./runtime.ts";
import { brokerNeeds, databaseOf, identityNeeds, neighbourCheck, shared } from "./systems.ts";

/** The door of the user service that every sign-in goes through: as wide as the sign-ins that may come at once. */
const MAX_ATTEMPTS_IN_FLIGHT = 256;

export function authService(settings: AuthSettings, outside: Runtime & { users: Fetch; database: Fetch; broker: Fetch }) {
  const insight = insightOf("auth-service", settings, outside);
  const runtime = counted(outside, insight.metrics);
  const { now } = runtime;
  const { AUTH_SERVICE_CLIENT_ID: clientId, AUTH_SERVICE_CLIENT_SECRET: clientSecret } = settings;
  const identity = keycloak(identityNeeds(settings, runtime, { clientId, clientSecret }));
  const reach = { name: "user service", url: settings.USERS_URL, fetch: runtime.users, now, timeout: settings.SERVICE_TIMEOUT_MS };
  const users = upstream({ ...reach, maxInFlight: MAX_ATTEMPTS_IN_FLIGHT });
  // Many sign-ins at once do not make it DOWN. How its own neighbours are, it says itself.
  const checks = upstream({ ...reach, maxInFlight: 8 });
  const door = { check: (call: Call) => checkAnswers(checks, call, "/actuator/health/liveness") };
  const db = databaseOf(settings, runtime);
  const revoked = revocations({ ...runtime, db, reader: recordReader(brokerNeeds(settings, runtime)), service: "auth-service" });
  const { verify, ...rest } = shared(settings, runtime);
  return auth({
    ...rest,
    ...insight,
    verify: revoked.guarding(verify),
    identity,
    userService: userService({ upstream: users, token: identity.serviceToken }),
    health: { identityProvider: neighbourCheck(identity, now), userService: neighbourCheck(door, now), revocations: revoked.check },
    offersGetLogin: settings.LEGACY_GET_LOGIN,
  });
}
