import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** Where real systems are, as `npm run test:real` says it. */
const REAL = ["KEYCLOAK_URL", "VAULT_URL", "KAFKA_BROKERS", "KAFKA_REST_URL", "TEST_DATABASE_URL", "TEST_REDIS_URL"];

export default defineConfig({
  test: {
    // What needs a real system is run where one is named.
    include: ["test/**/*.test.ts", ...(REAL.some((name) => process.env[name]) ? ["test/**/*.real.ts"] : [])],
    globalSetup: ["test/migrated.ts", "test/browser/chromium.ts"],
    // Files share what they import: reading it anew for each takes a third of the time. What a test changes is its own.
    isolate: false,
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // What hangs is to be named in the end; what is slow, on a machine that others use too, is not to fail.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
  },
});
