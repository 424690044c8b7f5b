type Status = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 500 | 503;

/** An answer of Keycloak's wire that is not the one asked for. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: Status | 200;
  /** Sent as JSON; without it the body is empty. */
  readonly body: unknown;
  readonly headers: Record<string, string>;

  constructor(status: Status | 200, body: unknown, headers: Record<string, string> = {}) {
    super(JSON.stringify(body) ?? String(status));
    this.status = status;
    this.body = body;
    this.headers = headers;
  }

  response(): Response {
    if (this.body === undefined) return new Response(null, { status: this.status, headers: this.headers });
    return Response.json(this.body, { status: this.status, headers: this.headers });
  }
}

/** RFC 6749, section 5.2. */
export function oauthError(status: Status | 200, error: string, error_description: string): Refusal {
  return new Refusal(status, { error, error_description });
}

export function invalidGrant(description: string): Refusal {
  return oauthError(400, "invalid_grant", description);
}

export function badRequest(description: string): Refusal {
  return oauthError(400, "invalid_request", description);
}

export function unauthorized(): Refusal {
  return new Refusal(401, { error: "HTTP 401 Unauthorized" });
}

export function forbidden(): Refusal {
  return new Refusal(403, { error: "HTTP 403 Forbidden" });
}

export function notFound(error: string): Refusal {
  return new Refusal(404, { error });
}

export function conflict(errorMessage: string): Refusal {
  return new Refusal(409, { errorMessage });
}

/** What Keycloak says where it did not foresee the input. */
export function unforeseen(): Refusal {
  return new Refusal(500, { error: "unknown_error", error_description: "For more on this error consult the server log." });
}
