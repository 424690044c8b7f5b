import { test } from "vitest";
import { writeFileSync } from "node:fs";
import { filled } from "./filled.ts";
test("fill", async () => { const f = await filled("/tmp/mv/data"); writeFileSync("/tmp/mv/filled.json", JSON.stringify(f)); }, 120_000);
