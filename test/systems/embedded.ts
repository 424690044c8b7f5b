type Exception = { file: string; systems: readonly System[]; reason: string };

type System = "identity" | "secrets" | "broker" | "database";

/** The tests that have an embedded server also where the environment names a real one: all that differs between a run on the ones and on the others. */
export const EMBEDDED = {
  days: { file: "test/users/dormant.test.ts", systems: ["identity"], reason: "Days pass in it, and a real provider's tokens last one at the most" },
  issuing: { file: "test/events/revocations.test.ts", systems: ["identity"], reason: "Tokens have to be from the time that it puts forward" },
  relays: { file: "test/events/{relay,consumer}*.test.ts", systems: ["broker"], reason: "Several brokers come and go in each, and its time stands still or flies" },
  retention: { file: "test/admin/stream-retention.test.ts", systems: ["broker"], reason: "REST v3 has no way to have records forgotten at a moment" },
  apart: { file: "test/runtime/services.test.ts", systems: ["identity", "secrets", "broker", "database"], reason: "That processes share the embedded servers of one of them is what it is about" },
  folder: { file: "test/runtime/journey.ts", systems: ["database"], reason: "Only the embedded database keeps a second process off its folder: that case is left out" },
} satisfies Record<string, Exception>;

/** Why a test has an embedded server in any case. */
export type Embedded = keyof typeof EMBEDDED;

const URLS: Record<System, string> = { identity: "KEYCLOAK_URL", secrets: "VAULT_URL", broker: "KAFKA_REST_URL", database: "TEST_DATABASE_URL" };

/** What a real identity provider can do at once within the deadlines on a small machine, and what the embedded one can. */
export function identityBears({ real, embedded }: { real: number; embedded: number }): number {
  return realUrl("identity") ? real : embedded;
}

/** Where the real system is, unless there is none or the test is to have the embedded one. */
export function realUrl(system: System, embedded?: Embedded | undefined): string | undefined {
  const { systems = [] }: Partial<Exception> = embedded ? EMBEDDED[embedded] : {};
  return systems.includes(system) ? undefined : process.env[URLS[system]];
}
