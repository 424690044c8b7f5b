import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { isListening, portFor } from "./machine.ts";

const RUN = fileURLToPath(new URL("run.ts", import.meta.url));

test.each([["SIGINT", 130], ["SIGTERM", 143]] as const)("%s ends what was started, and leaves no file of it", async (signal, status) => {
  const port = await portFor("UNSET");
  const child = spawn(process.execPath, [RUN, "redis"], { env: { ...process.env, REDIS_PORT: String(port) }, stdio: ["ignore", "pipe", "inherit"] });
  const folder = await folderOf(child);
  expect([await isListening(port), existsSync(folder)]).toEqual([true, true]);
  child.kill(signal);
  const [code] = (await once(child, "close")) as [number | null];
  expect([code, await isListening(port), existsSync(folder)]).toEqual([status, false, false]);
});

/** When it has started, where its files are. */
async function folderOf({ stdout }: ChildProcess): Promise<string> {
  let text = "";
  for await (const part of stdout ?? []) {
    text += String(part);
    const folder = /^started Redis in .* s, below (\S+)$/m.exec(text)?.[1];
    if (folder) return folder;
  }
  throw new Error(`Cannot start: ${text}`);
}
