import { join } from "node:path";
import process from "node:process";
import { createClient } from "@redis/client";
import { describe, expect, test } from "vitest";
import { ownFolder } from "../workers/folder.ts";
import { diagnosis, MINUTE_MS } from "./command.ts";

const { TEST_REDIS_URL: url = "" } = process.env;
const settings = (at: string) => ({ GATEHOUSE_DATA: join(ownFolder(), "data"), SERVICES: "gateway", REDIS_URL: at });

describe.skipIf(url === "")("a Redis", { timeout: MINUTE_MS }, () => {
  test("an ordinary one is fine, and nothing is written to it", async () => {
    const { having, of } = await diagnosis(settings(url));
    for (const code of ["reached", "scripts", "version", "role"]) expect(having("redis", code)).toHaveLength(1);
    expect(having("redis", new URL(url).password === "" ? "credential-open" : "credential")).toHaveLength(1);
    expect(of("redis").filter(({ status }) => status === "error" || status === "not-checked")).toEqual([]);
    const client = await createClient({ url }).connect();
    expect(await client.exists("gatehouse:limit:doctor")).toBe(0);
    client.destroy();
  });

  test("a user with the rights that the README names is fine", async () => {
    const user = `doctor-${crypto.randomUUID()}`;
    const password = `canary-${crypto.randomUUID()}`;
    const client = await createClient({ url }).connect();
    try {
      await client.sendCommand(["ACL", "SETUSER", user, "on", `>${password}`, "~gatehouse:limit:*", "+eval", "+incr", "+pttl", "+pexpire"]);
      const { having, of } = await diagnosis(settings(Object.assign(new URL(url), { username: user, password }).href));
      for (const code of ["reached", "credential", "scripts"]) expect(having("redis", code)).toHaveLength(1);
      expect(of("redis").filter(({ check }) => check === "latency")).toHaveLength(1);
      expect(of("redis").filter(({ status }) => status === "error")).toEqual([]);
      expect(await client.exists("gatehouse:limit:doctor")).toBe(0);
    } finally {
      await client.sendCommand(["ACL", "DELUSER", user]);
      client.destroy();
    }
  });

  test("a user who may not run scripts, and a password that is not right", async () => {
    const user = `doctor-${crypto.randomUUID()}`;
    const password = `canary-${crypto.randomUUID()}`;
    const client = await createClient({ url }).connect();
    try {
      await client.sendCommand(["ACL", "SETUSER", user, "on", `>${password}`, "~gatehouse:*", "+@all", "-eval"]);
      const bound = await diagnosis(settings(Object.assign(new URL(url), { username: user, password }).href));
      expect(bound.exit).toBe(1);
      expect(bound.having("redis", "scripts-refused")).toMatchObject([{ remedy: expect.stringContaining("+eval") }]);
      const refused = await diagnosis(settings(Object.assign(new URL(url), { username: user, password: `${password}-not` }).href));
      expect(refused.having("redis", "credential-refused")).toMatchObject([{ remedy: expect.stringContaining("REDIS_URL") }]);
      for (const { text } of [bound, refused]) expect(text).not.toContain(password);
    } finally {
      await client.sendCommand(["ACL", "DELUSER", user]);
      client.destroy();
    }
  });
});
