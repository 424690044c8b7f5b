import { pbkdf2Sync } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { ANSWER_COST, hashAnswer, verifyAnswer } from "../../src/passwords/answer.ts";
import { gate, Overload } from "../../src/passwords/gate.ts";
import { keycloakCredential } from "../../src/passwords/keycloak-credential.ts";
import { hashPassword, parseHash, PASSWORD_COST, verifyPassword } from "../../src/passwords/password.ts";

const CHEAP = { iterations: 1000, rounds: 1 };

it("verifies the password, and nothing near it", async () => {
  const stored = await hashPassword("pä ss wörd 🔑", CHEAP);
  expect(await verifyPassword("pä ss wörd 🔑", stored)).toBe(true);
  for (const near of ["pä ss wörd 🔑 ", "pä ss wörd", "PÄ SS WÖRD 🔑", ""]) expect(await verifyPassword(near, stored)).toBe(false);
});

it("salts every hash afresh", async () => {
  expect(await hashPassword("same", CHEAP)).not.toBe(await hashPassword("same", CHEAP));
});

it("is PBKDF2 with HMAC-SHA-256, as another implementation computes it", async () => {
  const { salt, key, iterations } = parseHash(await hashPassword("secret", CHEAP));
  expect(Buffer.from(key)).toEqual(pbkdf2Sync("secret", salt, iterations, 32, "sha256"));
});

it("costs 600,000 iterations unless told otherwise, and never more than 100,000 a call for answers", () => {
  expect(PASSWORD_COST).toEqual({ iterations: 600_000, rounds: 1 });
  expect(ANSWER_COST.iterations).toBeLessThanOrEqual(100_000);
  expect(ANSWER_COST.iterations * ANSWER_COST.rounds).toBeGreaterThanOrEqual(600_000);
});

it("verifies answers whatever their case, spacing and form", async () => {
  const cost = { iterations: 1000, rounds: 6 };
  const stored = await hashAnswer("  Großer   HUND ", cost);
  for (const same of ["großer hund", "GROßER HUND", "ｇroßer hund"]) expect(await verifyAnswer(same, stored)).toBe(true);
  for (const other of ["grosser hund", "großerhund", ""]) expect(await verifyAnswer(other, stored)).toBe(false);
});

it("chains rounds: fewer or more give another key", async () => {
  const stored = await hashAnswer("answer", { iterations: 1000, rounds: 3 });
  expect(await verifyAnswer("answer", stored)).toBe(true);
  for (const rounds of [1, 2, 4]) expect(await verifyAnswer("answer", stored.replace(",r=3", `,r=${rounds}`))).toBe(false);
});

it("exports a password as Keycloak imports it", async () => {
  const stored = await hashPassword("secret", CHEAP);
  const { type, secretData, credentialData } = keycloakCredential(stored);
  const { value, salt } = JSON.parse(secretData);
  expect([type, JSON.parse(credentialData)]).toEqual(["password", { hashIterations: 1000, algorithm: "pbkdf2-sha256", additionalParameters: {} }]);
  expect(pbkdf2Sync("secret", Buffer.from(salt, "base64"), 1000, 32, "sha256").toString("base64")).toBe(value);
  expect(() => keycloakCredential(stored.replace(",r=1", ",r=2"))).toThrow("Cannot export");
});

it("lets so many run, so many wait, and refuses the rest at once", async () => {
  const pass = gate({ atOnce: 2, waiting: 3 });
  const ends: (() => void)[] = [];
  let running = 0;
  let most = 0;
  const work = () =>
    pass(async () => {
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => ends.push(resolve));
      running -= 1;
    });
  const started = Array.from({ length: 5 }, work);
  await expect(work()).rejects.toBeInstanceOf(Overload);
  for (let ended = 0; ended < 5; ended++) {
    ends.shift()?.();
    await pause(0);
  }
  await Promise.all(started);
  expect(most).toBe(2);
  await expect(pass(async () => "free again")).resolves.toBe("free again");
});

it("frees the place of work that fails", async () => {
  const pass = gate({ atOnce: 1, waiting: 0 });
  await expect(pass(() => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  await expect(pass(async () => "free")).resolves.toBe("free");
});
