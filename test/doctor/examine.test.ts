import { expect, test } from "vitest";
import { examineAll } from "../../src/doctor/examine.ts";
import { redisFindings } from "../../src/doctor/findings/redis.ts";
import { secretsFindings } from "../../src/doctor/findings/secrets.ts";
import { redisChecks } from "../../src/doctor/redis/checks.ts";
import type { AppRole } from "../../src/doctor/secrets/approle.ts";
import { secretsChecks } from "../../src/doctor/secrets/checks.ts";
import { TooLate } from "../../src/http/within.ts";
import { answering, scripted } from "./upstream.ts";

const HEALTH = { initialized: true, sealed: false, standby: false, version: "1.21.4", enterprise: false };
const AUTH = { client_token: "a-token", policies: ["default"], lease_duration: 3600, renewable: true };

function approle(service: "admin" | "config"): AppRole {
  return { service, name: service, role: service, roleId: service, secretId: `secret-of-${service}`, settings: { roleId: "ROLE_ID", secretId: "SECRET_ID" } };
}

test("tokens are given back also when there was no time for all the checks", async () => {
  const asked: string[] = [];
  let elapsed = 0;
  const answer = answering({ "/v1/sys/health": HEALTH, "/v1/auth/approle/login": { auth: AUTH }, "/v1/auth/token/revoke-self": [204, {}] });
  const url = await scripted((request, response) => {
    const path = request.url?.split("?")[0] ?? "";
    asked.push(path);
    // The second login is what takes all of the time.
    if (asked.filter((one) => one.endsWith("/login")).length === 2) elapsed = 60_000;
    answer(request, response);
  });
  const findings = secretsChecks({ url, namespace: undefined, approles: [approle("admin"), approle("config")], policies: [], fetch, now: () => Date.now() });
  const found = await examineAll([{ system: "secrets", table: secretsFindings, findings }], () => elapsed);
  expect(found).toContainEqual(expect.objectContaining({ code: "late", status: "error" }));
  expect(asked.filter((path) => path === "/v1/auth/token/revoke-self").length).toBe(asked.filter((path) => path.endsWith("/login")).length);
});

test("a system that answers first and is silent then has not taken all of its time", async () => {
  let asked = 0;
  const command = async () => {
    if (asked++ > 0) throw new TooLate("No end within 5000 ms");
    return "PONG";
  };
  const findings = redisChecks({ url: "redis://localhost", setting: "REDIS_URL", credential: "REDIS_URL", hasCredential: false, command, now: () => 0 });
  const found = await examineAll([{ system: "redis", table: redisFindings, findings }], () => 0);
  expect(found.filter(({ status }) => status === "error")).toMatchObject([{ code: "stalled", sentence: "It answered, and then did not any more" }]);
});
