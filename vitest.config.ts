import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // What needs a real system is run where its URL is given.
    include: ["test/**/*.test.ts", ...(process.env["TEST_DATABASE_URL"] ? ["test/**/*.real.ts"] : [])],
    globalSetup: ["test/browser/chromium.ts"],
    // Files share what they import: reading it anew for each takes a third of the time. What a test changes is its own.
    isolate: false,
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
