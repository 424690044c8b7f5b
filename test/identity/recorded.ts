import type { Recorded } from "../wire/scripted.ts";

const json = (status: number, body: object): Recorded => ({ status, body: JSON.stringify(body) });
const refusal = (status: number, error: string, error_description: string) => json(status, { error, error_description });
const created = (location: string): Recorded => ({ status: 201, body: "", headers: { location } });

const tokens = { token_type: "Bearer", "not-before-policy": 0, session_state: "-iB4gSHGCyEoylXLTFepjppL", scope: "email profile" };
const signedIn = json(200, { access_token: "an.access.token", expires_in: 300, refresh_expires_in: 1800, refresh_token: "a.refresh.token", ...tokens });
const ownToken = json(200, { access_token: "own-token", expires_in: 300, refresh_expires_in: 0, token_type: "Bearer", "not-before-policy": 0, scope: "email profile" });

/** What both versions answer alike. */
export const recorded = {
  signedIn,
  ownToken,
  notFullySetUp: refusal(400, "invalid_grant", "Account is not fully set up"),
  clientSecretWrong: refusal(401, "unauthorized_client", "Invalid client or Invalid client credentials"),
  clientUnknown: refusal(401, "invalid_client", "Invalid client or Invalid client credentials"),
  clientMethodWrong: refusal(401, "unauthorized_client", "Invalid method used to get client secret. Client requires method 'client_secret_basic' to obtain client secret from the request"),
  clientWithoutDirectGrants: refusal(400, "unauthorized_client", "Client not allowed for direct access grants"),
  clientNeedsConsent: refusal(400, "invalid_client", "Client requires user consent"),
  serviceAccountDisabled: refusal(401, "invalid_request", "User 'service-account-user-service' disabled"),
  scopeUnknown: refusal(400, "invalid_scope", "Invalid scopes: wibble"),
  realmUnknown: json(404, { error: "Realm does not exist" }),
  starting: { status: 503, body: "Bootstrap in progress. Retry in 1 seconds.", headers: { "content-type": "text/plain", "retry-after": "1" } } as Recorded,
  refreshExpired: refusal(400, "invalid_grant", "Token is not active"),
  refreshOfEndedSession: refusal(400, "invalid_grant", "Session not active"),
  refreshOfDisabledUser: refusal(400, "invalid_grant", "User disabled"),
  refreshReused: refusal(400, "invalid_grant", "Maximum allowed refresh token reuse exceeded"),
  refreshOfAnotherClient: refusal(400, "invalid_grant", "Invalid refresh token. Token client and authorized client don't match"),
  sessionEnded: { status: 204, body: "" } as Recorded,
  logoutPage: { status: 200, body: "<html>", headers: { "content-type": "text/html" } } as Recorded,
  // Its host follows the request's, whatever the server is called.
  userCreated: created("http://keycloak.internal:8080/admin/realms/platform/users/2b9d0a6e-5f0e-4b7e-9a35-7f1f3c1f0a11"),
  usernameTaken: json(409, { errorMessage: "User exists with same username" }),
  emailTaken: json(409, { errorMessage: "User exists with same email" }),
  raceLost: json(409, { errorMessage: "User exists with same username or email" }),
  emailInvalid: json(400, { field: "email", errorMessage: "error-invalid-email", params: ["email", "not-an-email"] }),
  firstNameInvalid: json(400, { field: "firstName", errorMessage: "error-person-name-invalid-character", params: ["firstName"] }),
  severalInvalid: json(400, { errors: [{ field: "email", errorMessage: "error-invalid-email", params: ["email", "x"] }, { field: "username", errorMessage: "error-username-invalid-character", params: ["username"] }] }),
  passwordTooShort: refusal(400, "invalidPasswordMinLengthMessage", "Invalid password: minimum length 15."),
  databaseFailed: json(400, { errorMessage: "Could not create user" }),
  credentialWithoutValue: refusal(500, "unknown_error", "For more on this error consult the server log."),
  nobodyFound: json(200, []),
  userFound: json(200, [{ id: "2b9d0a6e", username: "user0001", firstName: "F", lastName: "L", email: "user0001@example.test", emailVerified: true, enabled: true, createdTimestamp: 1_795_222_833_219, totp: false, disableableCredentialTypes: [], requiredActions: [], notBefore: 0, access: { manage: true } }]),
  userMissing: json(404, { error: "User not found" }),
  tokenRefused: json(401, { error: "HTTP 401 Unauthorized" }),
  rightLacking: json(403, { error: "HTTP 403 Forbidden" }),
  clientCreated: created("http://keycloak.internal:8080/admin/realms/platform/clients/0e6a1f52-1c1f-4a7e-8d14-7f1f3c1f0a11"),
  clientExists: json(409, { errorMessage: "Client svc-a already exists" }),
  roleExists: json(409, { errorMessage: "Role with name AUDITOR already exists" }),
  roleMissing: json(404, { error: "Could not find role" }),
};

const invalidCredentials = (status: number) => refusal(status, "invalid_grant", "Invalid user credentials");
const accountDisabled = refusal(400, "invalid_grant", "Account disabled");

/** Where an older Keycloak answers something else: what each gave to the same request. */
export const versions = {
  "26.5.6": {
    wrongPassword: invalidCredentials(401),
    disabledUserWrongPassword: accountDisabled,
    disabledUserRightPassword: accountDisabled,
    strangeOrigin: signedIn,
    strangeOriginAtAdministration: json(200, []),
    clientSecret: json(200, { type: "secret", value: "Zx8mQ1nV5rT2yU7wA3sD9fG4hJ6kL0pB" }),
  },
  "26.7.3": {
    wrongPassword: invalidCredentials(400),
    disabledUserWrongPassword: invalidCredentials(400),
    disabledUserRightPassword: accountDisabled,
    strangeOrigin: json(403, { error: "Invalid origin" }),
    strangeOriginAtAdministration: json(403, { error: "Invalid origin" }),
    clientSecret: json(200, { type: "secret", value: "uy0TC5nu0UvkEfIcQVc4ovAHvkuQ5qnEwp1cEe2L0lvy8BNOTgXJ4PtCFNJbpkhZg0bhRSj1Xr1ZsrDXaVlW9v" }),
  },
} satisfies Record<string, Record<string, Recorded>>;
