import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // What needs a real system is run where its URL is given.
    include: ["test/**/*.test.ts", ...(process.env["TEST_DATABASE_URL"] ? ["test/**/*.real.ts"] : [])],
    globalSetup: ["test/browser/chromium.ts"],
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
