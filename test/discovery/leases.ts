import { testRegistry } from "./service.ts";

export const SECOND = 1000;
export const HOUR = 3_600_000;

const LEASE = { renewalIntervalInSecs: 30, durationInSecs: 90 };

export type LeasesUnderTest = Awaited<ReturnType<typeof leasesUnderTest>>;

/** A registry, and over the same database a second one, `strict`, that preserves nobody. */
export async function leasesUnderTest() {
  const registry = await testRegistry();
  const strict = registry.instance({ DISCOVERY_SELF_PRESERVATION: "off" });

  /** The time goes on as it does in a process that sweeps every few seconds; those named beat every thirty. */
  async function live(milliseconds: number, { beating = [], on = strict }: { beating?: string[]; on?: Pick<typeof strict, "sweep" | "beat"> } = {}) {
    for (let gone = 0; gone < milliseconds; gone += 5 * SECOND) {
      registry.clock.time += Math.min(5 * SECOND, milliseconds - gone);
      if (gone % (30 * SECOND) === 0) for (const id of beating) await on.beat(id);
      await on.sweep();
    }
  }

  const registerAll = async (names: string[]) => void (await Promise.all(names.map((id) => registry.register({ id, leaseInfo: LEASE }))));

  return { registry, strict, live, registerAll };
}
