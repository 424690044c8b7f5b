/** What a kind of service is sent, and what of its answers is let through. */
export type Terms = {
  /** Request headers it may see. */
  sent: readonly string[];
  isUsable: (response: Response) => boolean;
  /** Whether a client may see this header of an answer. */
  isShown: (name: string, value: string) => boolean;
};

const SENT = ["accept", "accept-language", "authorization", "content-type", "idempotency-key", "last-event-id", "user-agent"];
const SHOWN = [
  "allow",
  "cache-control",
  "content-language",
  "content-type",
  "deprecation",
  "etag",
  "last-modified",
  "link",
  "location",
  "ratelimit",
  "ratelimit-policy",
  "retry-after",
  "sunset",
  "vary",
  "warning",
  "www-authenticate",
];
const SHOWN_BY_SERVICES: ReadonlySet<string> = new Set(SHOWN);
const SHOWN_BY_APPLICATIONS: ReadonlySet<string> = new Set([
  ...SHOWN,
  "accept-patch",
  "accept-post",
  "accept-ranges",
  "age",
  "content-disposition",
  "content-range",
  "expires",
  "preference-applied",
]);

const SERVICE_MEDIA_TYPES = /^(application\/json|application\/problem\+json|text\/plain|text\/event-stream)\s*(;|$)/i;
/** A server in front of the gateway would obey the first four; the last tell what an application is made of. */
const NEVER_SHOWN = /^x-(accel-|sendfile|lighttpd-|reproxy-|forwarded-|original-|real-|powered-by|aspnet)/;

/** The platform's own: each answers with JSON, plain text, events or nothing. Anything else comes from something in between. */
export const SERVICE_TERMS: Terms = {
  sent: SENT,
  isUsable({ status, headers }) {
    const type = headers.get("content-type");
    const isRedirect = status < 200 || (status >= 300 && status < 400);
    const isStrange = type !== null && !SERVICE_MEDIA_TYPES.test(type);
    const isRaw = status >= 500 && !type?.startsWith("application/problem+json");
    return !isRedirect && !isStrange && !isRaw;
  },
  isShown(name, value) {
    // An absolute or scheme-relative address would name a machine behind the gateway, or lead away from it.
    if (name === "location") return /^\/(?![/\\])/.test(value);
    return SHOWN_BY_SERVICES.has(name);
  },
};

/**
 * A registered application answers with any status and media type, in its own words. Its answers have the gateway's
 * origin, and the gateway's documentation holds tokens: so they are shown under the gateway's own content security
 * policy, where no script runs and nothing is sniffed, and neither take nor leave cookies, which every application and
 * page here would share. A caller's token goes on to it: whom an operator leads callers to, they are known to. `X-`
 * headers of an answer pass; those of a request do not, as some application takes them for a caller's name.
 */
export const APPLICATION_TERMS: Terms = {
  sent: [...SENT, "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "prefer", "range"],
  // On Workers the network itself answers 520 to 530 for an instance that it cannot reach.
  isUsable: ({ status }) => status >= 200 && (status < 520 || status > 530),
  isShown: (name) => SHOWN_BY_APPLICATIONS.has(name) || (name.startsWith("x-") && !NEVER_SHOWN.test(name)),
};
