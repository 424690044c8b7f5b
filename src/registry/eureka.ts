import * as z from "zod";
import type { Call } from "../http/call.ts";
import { credentialUrl } from "../http/credential-url.ts";
import type { Fetch } from "../http/fetch.ts";
import { path } from "../http/path.ts";
import { type Answer, type Exchange, type Outcome, shaped, upstream, upstreamProblem } from "../http/upstream.ts";
import { InstanceSchema, type Registered, type Registrant, instanceId, registrationBody } from "./instance.ts";

export type RegistryNeeds = {
  /**
   * Such as `http://user:password@localhost:8761/eureka`. Of several, with commas between them, the first that answers
   * is asked, and stays the first.
   */
  url: string;
  fetch: Fetch;
  now: () => number;
};

/** An instance's state; `at` is when it came into it, in milliseconds since the epoch. */
type State = { status: "UP" | "DOWN"; at: number };

export type Registry = ReturnType<typeof registry>;

const NAME = "registry";
const TIMEOUT_MS = 1000;
/** Room for some thousand instances of one application. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

const ApplicationSchema = z.object({ application: z.object({ instance: z.array(z.unknown()) }) });

/** The client of Eureka's wire, in JSON. Throws a Problem when no registry answers, or with what we cannot use. */
export function registry({ url, fetch, now }: RegistryNeeds) {
  const servers = url.split(",").map((one) => {
    const { url, authorization } = credentialUrl(one);
    return { ...upstream({ name: NAME, url, fetch, now, timeout: TIMEOUT_MS, maxAnswerBytes: MAX_ANSWER_BYTES }), authorization };
  });
  let first = 0;

  /** Each call may be repeated elsewhere: all of them say how things are, none what to add. */
  async function send(call: Call, exchange: Exchange): Promise<Answer> {
    const order = [...servers.keys()].map((index) => (first + index) % servers.length);
    let failed: Outcome | undefined;
    for (const index of order) {
      const { send, authorization } = servers[index]!;
      const outcome = await send(call, { ...exchange, ...(authorization && { headers: { authorization } }) });
      failed = outcome;
      if (outcome.kind === "lost" || outcome.status >= 500) continue;
      first = index;
      return outcome;
    }
    throw upstreamProblem(NAME, failed!);
  }

  return {
    async register(call: Call, registrant: Registrant, state: State): Promise<void> {
      const json = registrationBody(registrant, state);
      const answer = await send(call, { method: "POST", path: path`/apps/${registrant.name.toUpperCase()}`, json });
      if (answer.status !== 204) throw upstreamProblem(NAME, answer);
    },

    /** Whether the registry still knows the instance; else it has to be registered again. */
    async renew(call: Call, registrant: Registrant, { status, at }: State): Promise<boolean> {
      const query = { status, lastDirtyTimestamp: String(at) };
      const answer = await send(call, { method: "PUT", path: pathOf(registrant), query });
      if (answer.status !== 200 && answer.status !== 204 && answer.status !== 404) throw upstreamProblem(NAME, answer);
      return answer.status !== 404;
    },

    async cancel(call: Call, registrant: Registrant): Promise<void> {
      const answer = await send(call, { method: "DELETE", path: pathOf(registrant) });
      if (answer.status !== 200 && answer.status !== 204 && answer.status !== 404) throw upstreamProblem(NAME, answer);
    },

    /** The instances of one application, in any state; one that is odd is left out. */
    async instances(call: Call, application: string): Promise<Registered[]> {
      const answer = await send(call, { method: "GET", path: path`/apps/${application.toUpperCase()}` });
      if (answer.status === 404) return [];
      if (answer.status !== 200) throw upstreamProblem(NAME, answer);
      const { instance } = shaped(NAME, answer, ApplicationSchema).application;
      return instance.flatMap((one) => InstanceSchema.safeParse(one).data ?? []);
    },
  };
}

function pathOf(registrant: Registrant): string {
  return path`/apps/${registrant.name.toUpperCase()}/${instanceId(registrant)}`;
}
