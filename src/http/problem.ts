import { causesOf } from "./causes.ts";

/**
 * Every code a caller can meet, with its title (RFC 9457, `title`). The HTTP status is the number the code ends in,
 * so a code without a status, or a Problem without a code in this table, does not compile.
 */
const titles = {
  VALIDATION_FAILED_400: "The request is not valid",
  MALFORMED_JSON_400: "The body is not acceptable JSON",
  TOPIC_CREATION_FAILED_400: "The topic cannot be created",
  CONFIG_NOT_CONVERTIBLE_400: "The configuration cannot be written in this format",
  SECURITY_INVALID_CREDENTIALS_401: "The credentials are not valid",
  UNAUTHENTICATED_401: "A valid bearer token is needed",
  REFRESH_TOKEN_INVALID_401: "The refresh token is not valid",
  FORBIDDEN_403: "The caller may not do this",
  ACCOUNT_LOCKED_403: "The account is locked",
  NOT_FOUND_404: "There is nothing here",
  USER_NOT_FOUND_404: "The user does not exist",
  SECURITY_DETAILS_NOT_FOUND_404: "The user has no security details",
  IDP_ROLE_NOT_FOUND_404: "The role does not exist",
  VAULT_APPROLE_NOT_FOUND_404: "The AppRole does not exist",
  VAULT_SECRET_NOT_FOUND_404: "There are no secrets here",
  VAULT_POLICY_NOT_FOUND_404: "The policy does not exist",
  TOPIC_NOT_FOUND_404: "The topic does not exist",
  EVENT_NOT_FOUND_404: "The event is not set aside",
  WEBHOOK_NOT_FOUND_404: "The webhook does not exist",
  WEBHOOK_DELIVERY_NOT_FOUND_404: "The event is not set aside for this webhook",
  CONFIG_LABEL_NOT_FOUND_404: "The label does not exist",
  METHOD_NOT_ALLOWED_405: "The method is not allowed here",
  NOT_ACCEPTABLE_406: "There is no answer in an accepted media type",
  USER_ALREADY_EXISTS_409: "The user already exists",
  REGISTRATION_IN_PROGRESS_409: "The same registration is still being worked on",
  CONTACT_LIMIT_REACHED_409: "The user has as many contact numbers as there may be",
  IDP_CLIENT_ALREADY_EXISTS_409: "The client already exists",
  IDP_ROLE_ALREADY_EXISTS_409: "The role already exists",
  VAULT_APPROLE_ALREADY_EXISTS_409: "The AppRole already exists",
  VAULT_SECRET_CONFLICT_409: "The secrets were changed by others at the same time",
  WEBHOOK_LIMIT_REACHED_409: "There are as many webhooks as there may be",
  EVENTS_GONE_410: "The events after this one are not kept any more",
  PAYLOAD_TOO_LARGE_413: "The body is too large",
  UNSUPPORTED_MEDIA_TYPE_415: "The media type is not supported",
  IDEMPOTENCY_KEY_REUSED_422: "The idempotency key belongs to another request",
  CONFIG_FILE_INVALID_422: "A configuration file cannot be read",
  CONFIG_TOO_LARGE_422: "There is too much configuration for one answer",
  TOO_MANY_REQUESTS_429: "Too many requests",
  TOO_MANY_STREAMS_429: "Too many streams of events are open",
  INTERNAL_ERROR_500: "The service failed",
  IDP_CLIENT_CREATION_FAILED_502: "The identity provider did not create the client",
  UPSTREAM_BAD_ANSWER_502: "A system behind this service gave an unusable answer",
  UPSTREAM_UNAVAILABLE_503: "A system behind this service is not available",
  UPSTREAM_TIMEOUT_504: "A system behind this service did not answer in time",
} as const satisfies Record<`${string}_${Status}`, string>;

type Status = 400 | 401 | 403 | 404 | 405 | 406 | 409 | 410 | 413 | 415 | 422 | 429 | 500 | 502 | 503 | 504;

export type ProblemCode = keyof typeof titles;

export type FieldError = { path: string; message: string };

type Extras = {
  errors?: FieldError[];
  /** Seconds, sent as `Retry-After`. */
  retryAfter?: number;
  /** Further response headers, such as `WWW-Authenticate`. */
  headers?: Record<string, string>;
  /** Logged, never sent. */
  cause?: unknown;
};

/** The one way to fail. `detail` is for the caller: no upstream text, no secret. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly code: ProblemCode;
  readonly errors: FieldError[] | undefined;
  readonly headers: Record<string, string>;

  constructor(code: ProblemCode, detail: string, extras: Extras = {}) {
    super(detail, { cause: extras.cause });
    this.code = code;
    this.errors = extras.errors;
    this.headers = { ...extras.headers };
    if (extras.retryAfter !== undefined) this.headers["retry-after"] = String(extras.retryAfter);
  }

  get status(): Status {
    return Number(this.code.slice(-3)) as Status;
  }
}

/** The problem that `error` is, or was caused by: drivers wrap what their `fetch` throws. */
export function problemIn(error: unknown): Problem | undefined {
  return causesOf(error).find((link) => link instanceof Problem);
}

/** What the code says whatever it is about. */
export function titleOf(code: ProblemCode): string {
  return titles[code];
}

/** The body of `problem` as `application/problem+json` (RFC 9457). */
export function problemBody(problem: Problem, request: { path: string; traceId: string }) {
  return {
    type: `urn:gatehouse:problem:${problem.code.toLowerCase().replaceAll("_", "-")}`,
    title: titleOf(problem.code),
    status: problem.status,
    detail: problem.message,
    instance: request.path,
    code: problem.code,
    traceId: request.traceId,
    ...(problem.errors && { errors: problem.errors }),
  };
}
