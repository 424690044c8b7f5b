import type { Call } from "../../http/call.ts";
import type { Fetch } from "../../http/fetch.ts";
import { wasNotReached } from "../../http/not-reached.ts";
import { Problem } from "../../http/problem.ts";
import { forwarder, isFull } from "../forward.ts";
import { neighbour } from "../neighbours.ts";
import { APPLICATION_TERMS } from "../terms.ts";
import type { Instances } from "./instances.ts";
import { relocated } from "./location.ts";
import { turns } from "./turns.ts";

export type ApplicationNeeds = { instances: Instances; fetch: Fetch; now: () => number };

export type Application = ReturnType<typeof application>;

type Asking<T> = {
  isRepeatable: boolean;
  /** Whether it was the instance that failed, and may fail the next one too. */
  isLost: (error: unknown) => boolean;
  /** Whether the client went away, which says nothing of the instance. */
  hasLeft?: () => boolean;
  ask: (url: string) => Promise<T>;
};

/** Seconds after which an instance may have come up and been seen to be. */
const RETRY_AFTER = 5;
/** An application's own interior, below whatever context path it has, and in the spelling of a careless one. */
const CLOSED = /\/(internal|actuator)(\/|$)/i;

/** The instances of one registered application as one service below its prefix. */
export function application(name: string, { instances, fetch, now }: ApplicationNeeds) {
  const title = `application "${name}"`;
  const prefix = `/${name}`;
  const forward = forwarder(title, { fetch, now, terms: APPLICATION_TERMS });
  const { order, penalise, absolve } = turns(now);

  async function urlsOf(call: Call): Promise<string[]> {
    const urls = (await instances(call, name)).flatMap(({ status, url }) => (status === "UP" && url ? [url] : []));
    if (urls.length === 0) {
      throw new Problem("UPSTREAM_UNAVAILABLE_503", `The ${title} has no instance that is up`, { retryAfter: RETRY_AFTER });
    }
    return order([...new Set(urls)].toSorted());
  }

  /** What `ask` comes to at the next instance; at one more when that could not even be connected to and `isRepeatable`. */
  async function atOne<T>(call: Call, { isRepeatable, isLost, hasLeft = () => false, ask }: Asking<T>): Promise<T> {
    const [first = "", second] = await urlsOf(call);
    const askNoting = async (url: string) => {
      try {
        const answer = await ask(url);
        if (!hasLeft()) absolve(url);
        return answer;
      } catch (error) {
        if (isLost(error)) penalise(url);
        throw error;
      }
    };
    return askNoting(first).catch((error: unknown) => {
      if (!isRepeatable || second === undefined || !wasNotReached(error)) throw error;
      return askNoting(second);
    });
  }

  return {
    prefix,

    /** Whether `path`, which is below the prefix, leads to the application. */
    isOpen: (path: string) => isOpen(path.slice(prefix.length)),

    /** Hands `request` on without the prefix, as Spring Cloud Gateway does by default with a route from discovery. */
    forward(request: Request, { target, call, headers }: { target: string; call: Call; headers: Record<string, string> }): Promise<Response> {
      const rest = target.slice(prefix.length);
      const isRepeatable = request.method === "GET" || request.method === "HEAD";
      const ask = async (base: string) => {
        const url = base + rest;
        const response = await forward(request, { url, call, headers: { ...headers, "x-forwarded-prefix": prefix } });
        const location = response.headers.get("location");
        return location === null ? response : moved(response, relocated(location, { asked: url, prefix }));
      };
      return atOne(call, { isRepeatable, isLost: (error) => !isFull(error), hasLeft: () => request.signal.aborted, ask });
    },

    /** Its API description, as far as the gateway leads there. */
    document: (call: Call) =>
      // A description may be slow to be written, or be missing, where all else is well.
      atOne(call, { isRepeatable: true, isLost: wasNotReached, ask: (url) => neighbour(title, { service: { fetch, url }, now }).document(call, { server: { url: prefix }, isOpen }) }),
  };
}

function isOpen(path: string): boolean {
  return !CLOSED.test(path);
}

function moved(response: Response, location: string | undefined): Response {
  if (location === undefined) response.headers.delete("location");
  else response.headers.set("location", location);
  return response;
}
