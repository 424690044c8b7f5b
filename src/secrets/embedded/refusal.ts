type Status = 307 | 400 | 403 | 404 | 405 | 413 | 415 | 500 | 503;

/** An answer of Vault's wire that is not the one asked for. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: Status;
  /** Sent as JSON; without it the body is empty. */
  readonly body: unknown;
  readonly headers: Record<string, string>;

  constructor(status: Status, body?: unknown, headers: Record<string, string> = {}) {
    super(`Refused with ${status}`);
    this.status = status;
    this.body = body;
    this.headers = headers;
  }

  response(): Response {
    const body = this.body === undefined ? null : JSON.stringify(this.body);
    return new Response(body, { status: this.status, headers: { "content-type": "application/json", ...this.headers } });
  }
}

export function refuse(status: Status, ...errors: string[]): Refusal {
  return new Refusal(status, { errors });
}

export function badRequest(error: string): Refusal {
  return refuse(400, error);
}

export function nothingHere(): Refusal {
  return refuse(404);
}

/** How the framework of Vault's backends wraps what it did not foresee: also the mark of a missing right. */
export function oneError(status: Status, error: string): Refusal {
  return refuse(status, `1 error occurred:\n\t* ${error}\n\n`);
}

/** The token is good, the right is missing. */
export function denied(): Refusal {
  return oneError(403, "permission denied");
}

/** There is no token, or none that is good. */
export function unauthenticated(): Refusal {
  return refuse(403, "2 errors occurred:\n\t* permission denied\n\t* invalid token\n\n");
}
