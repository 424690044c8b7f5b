import { beginCall } from "../../http/call.ts";
import type { DocumentSource } from "../../http/documents.ts";
import type { Instances } from "./instances.ts";

type SourcesNeeds = {
  /** The platform's own services, named as they register. */
  services: readonly DocumentSource[];
  /** Names of the applications that may be routed to. */
  applications: readonly string[];
  /** Undefined where there is no registry. */
  instances: Instances | undefined;
  /** Whether the platform's own services register themselves: not so on Workers. */
  holdsPlatform: boolean;
  now: () => number;
};

/** It does not register itself. */
const REGISTRY = "discovery-service";
const TIMEOUT_MS = 1000;

/** The documents to choose from: those of what is registered, and of all our own services where or while no registry tells of them. */
export function registeredSources({ services, applications, instances, holdsPlatform, now }: SourcesNeeds): () => Promise<DocumentSource[]> {
  const others = applications.map((name) => ({ name, title: name, url: `/${name}/v3/api-docs` }));

  return async () => {
    if (!instances) return [...services];
    const call = beginCall(new Headers(), { now: now(), limit: TIMEOUT_MS });
    const isShown = (name: string, otherwise: boolean) =>
      name === REGISTRY || instances(call, name).then((found) => found.length > 0, () => otherwise);
    const shown = await Promise.all([...services.map(({ name }) => !holdsPlatform || isShown(name, true)), ...others.map(({ name }) => isShown(name, false))]);
    return [...services, ...others].filter((_, index) => shown[index]);
  };
}
