import { readFileSync } from "node:fs";

export type Exchange = {
  group: string;
  note?: string;
  request: { method: string; path: string; headers?: Record<string, string>; body?: unknown; gzip?: boolean };
  response: { status: number; headers: Record<string, string>; body?: unknown };
};

export type Answer = { status: number; type: string | undefined; allow: string[] | undefined; encoding: string | undefined; body: unknown };

export function recorded(name: "server"): Exchange[] {
  const text = readFileSync(new URL(`transcripts/${name}.jsonl`, import.meta.url), "utf8");
  return text.trim().split("\n").map((line) => JSON.parse(line) as Exchange);
}

type Difference = {
  reason: string;
  applies: (call: Exchange) => boolean;
  /** What we answer instead of what the real server answered. */
  instead: (answer: Answer, call: Exchange) => Answer;
};

const EMPTY = { type: undefined, allow: undefined, encoding: undefined, body: undefined };
/** The form in which Netflix's server refuses a body, and we every bad value. */
const A_FAILURE = { error: "a reason" };

/** Two lists in XML were too long to be recorded to their end. */
export const CUT = /characters\)$/;

const textOf = (body: unknown) => (typeof body === "string" ? body : JSON.stringify(body ?? ""));
const at = (path: RegExp) => ({ request }: Exchange) => path.test(request.path);
const withBody = (change: (body: any) => void): Difference["instead"] => (answer) => {
  const copy = structuredClone(answer);
  change(copy.body);
  return copy;
};

/** Where we answer differently, on purpose. */
export const differences: Difference[] = [
  {
    reason: "A 404 has no body: Boot 2 and Jersey clients take one for an instance and never register again",
    applies: ({ response }) => response.status === 404,
    instead: () => ({ status: 404, ...EMPTY }),
  },
  {
    reason: "A 406 has no body: there is nothing to put it in that the caller accepts",
    applies: ({ response }) => response.status === 406,
    instead: () => ({ status: 406, ...EMPTY }),
  },
  {
    reason: "No path for peers (they agree in Postgres), for Amazon's groups and for a page of Netflix's",
    applies: at(/^\/eureka\/(peerreplication|asg|status)/),
    instead: () => ({ status: 404, ...EMPTY }),
  },
  {
    reason: "A 405 is the platform's problem, and names HEAD where there is GET",
    applies: (call) => call.response.status === 405 && !at(/peerreplication|asg/)(call),
    instead: ({ allow = [] }) => ({
      ...EMPTY,
      status: 405,
      type: "application/problem+json",
      allow: [...allow, ...(allow.includes("GET") ? ["HEAD"] : [])].toSorted(),
      body: "a problem",
    }),
  },
  {
    reason: "Options have no content, and so no type",
    applies: ({ request }) => request.method === "OPTIONS",
    instead: (answer) => ({ ...answer, type: undefined }),
  },
  {
    reason: "What is missing is told as text, which it is, not as the JSON or XML that it is not",
    applies: ({ response }) => response.status === 400 && /^(Missing|Mismatched)/.test(String(response.body)),
    instead: (answer) => ({ ...answer, type: "text/plain" }),
  },
  {
    reason: "A bad value is the caller's fault",
    applies: (call) => call.response.status === 500 && !at(/eureka\/status$/)(call),
    instead: () => ({ ...EMPTY, status: 400, type: "application/json", body: A_FAILURE }),
  },
  {
    reason: "An unknown media type is refused in the form of all other refusals",
    applies: ({ response }) => response.status === 415,
    instead: () => ({ ...EMPTY, status: 415, type: "application/json", body: A_FAILURE }),
  },
  {
    reason: "XML that was preferred is XML, not JSON under the name of XML",
    applies: ({ request }) => request.headers?.["Accept"] === "application/xml, application/json",
    instead: (answer) => ({ ...answer, body: { applications: { versions__delta: "1", apps__hashcode: "" } } }),
  },
  {
    reason: "An instance without an id has its host's name for one, and says so",
    applies: ({ response }) => JSON.stringify(response.body)?.includes('"instanceId":""') ?? false,
    instead: withBody(({ applications }) => {
      for (const { instance } of applications.application) for (const one of instance) one.instanceId ||= one.hostName;
    }),
  },
  {
    reason: "An instance without a vip address has its application's name for one: else no client would find it",
    applies: ({ response }) => /^(\{"instance"|<instance)/.test(textOf(response.body)) && !textOf(response.body).includes("vipAddress"),
    instead: withBody(({ instance }) => {
      (Array.isArray(instance) ? instance[0] : instance).vipAddress = "alpha";
    }),
  },
  {
    reason: "In metadata what is null is left out and what is nested stays together, instead of falling apart",
    applies: ({ response }) => textOf(response.body).includes('"o":"{"'),
    instead: withBody(({ instance }) => {
      instance.metadata = { n: "5", b: "true", o: '{"a":1}' };
    }),
  },
  {
    reason: "Renewed once, an instance goes after its lease, not after two; the list is not an older one that was kept",
    applies: ({ group, request }) => group === "eviction, self-preservation off" && request.path === "/eureka/apps",
    instead: (answer) => ({ ...answer, body: { applications: { versions__delta: "1", apps__hashcode: "", application: [] } } }),
  },
  {
    reason: "Whoever is evicted is in the changes at once",
    applies: ({ group, request }) => group === "eviction, self-preservation off" && request.path === "/eureka/apps/delta",
    instead: withBody(({ applications }) => {
      applications.apps__hashcode = "";
      for (const one of applications.application[0].instance) {
        one.actionType = "DELETED";
        one.leaseInfo.evictionTimestamp ||= 1;
      }
    }),
  },
  {
    reason: "An encoded slash is a name that nobody has, not an error page of the container",
    applies: at(/%2F/),
    instead: () => ({ status: 404, ...EMPTY }),
  },
];

/** `answer` without what is another each time: times become whether there is one, versions a word, lists their order. */
export function comparable(answer: Answer, call: Exchange): unknown {
  const { body } = answer;
  if (CUT.test(String(call.response.body))) return { ...answer, body: undefined };
  const isProblem = answer.type === "application/problem+json";
  const isFailure = typeof body === "object" && body !== null && "error" in body;
  return simplified({ ...answer, body: isProblem ? "a problem" : isFailure ? A_FAILURE : body });
}

function simplified(value: unknown, key = ""): unknown {
  if (key.endsWith("Timestamp")) return Number(value) > 0 ? "a time" : "never";
  if (key === "versions__delta") return value === "-1" ? value : "a version";
  if (Array.isArray(value)) return value.map((one) => simplified(one)).toSorted(byName);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, simplified(inner, name)]));
}

function byName(one: unknown, other: unknown): number {
  const name = (value: unknown) => String((value as Record<string, unknown>)?.["name"] ?? (value as Record<string, unknown>)?.["instanceId"]);
  return name(one) < name(other) ? -1 : 1;
}
