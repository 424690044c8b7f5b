// Header and claims of a token that nobody has signed.
const accessToken = "eyJhbGciOiJSUzI1NiI…";
const refreshToken = "eyJhbGciOiJIUzUxMiI…";

export const token = accessToken;

/** Whom the user service's examples register. */
export const credentials = { username: "asha.rao@example.com", password: "Correct-Horse-7-Battery" };

export const refresh = { refresh_token: refreshToken };

export const tokens = {
  access_token: accessToken,
  expires_in: 300,
  refresh_token: refreshToken,
  refresh_expires_in: 1800,
  token_type: "Bearer",
  scope: "profile email",
};

export const newIdentityUser = {
  username: "nightly-report",
  password: "Correct-Horse-9-Battery",
  firstName: "Nightly",
  lastName: "Report",
  emailId: "nightly.report@example.com",
};

export const identityUserCreated = { responseCode: "201" as const, response: "User created" };
