import type { Cluster, Topic } from "./cluster.ts";

/** `cluster`, which throws what `told` makes of what it would throw. */
export function inRefusals<T extends Topic>(cluster: Cluster<T>, told: (error: unknown) => unknown): Cluster<T> {
  const works = Object.entries(cluster) as [string, (...given: unknown[]) => Promise<unknown>][];
  const wrapped = works.map(([name, work]) => [
    name,
    (...given: unknown[]) =>
      work(...given).catch((error: unknown) => {
        throw told(error);
      }),
  ]);
  return Object.fromEntries(wrapped) as Cluster<T>;
}
