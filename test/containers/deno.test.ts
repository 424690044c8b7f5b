import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runToEnd } from "../command.ts";
import { deno } from "../deno.ts";
import { freePorts, launch } from "../runtime/launch.ts";
import { wordsOf } from "./containerfile.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url)).replace(/\/$/, "");

test("the platform starts on Deno, and is alive, with no more rights than its container file gives it", { timeout: 120_000 }, async ({ onTestFinished }) => {
  const data = mkdtempSync(join(tmpdir(), "container-"));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  chmodSync(data, 0o700);
  const [, ...args] = wordsOf("deno", "CMD").map((word) => word.replaceAll("/app", ROOT).replaceAll("/data", data));
  const settings = { ...(await freePorts()), GATEHOUSE_DATA: data, DENO_NO_UPDATE_CHECK: "1" };
  const platform = await launch({ file: deno.command, args }, settings);
  onTestFinished(() => platform.kill());
  const statusOf = async (path: string) => (await fetch(`${platform.gateway}${path}`)).status;
  expect(await statusOf("/swagger-ui/index.html")).toBe(200);
  // On a busy machine, not all that is asked for the first time answers in time.
  await expect.poll(() => statusOf("/actuator/health"), { timeout: 30_000 }).toBe(200);
  const [, ...check] = wordsOf("deno", "HEALTHCHECK");
  expect((await runToEnd({ file: deno.command, args: check }, settings)).code).toBe(0);
  expect(await platform.stop("SIGTERM")).toBe(0);
  expect((await runToEnd({ file: deno.command, args: check }, settings)).code).not.toBe(0);
});
