import { expect, test } from "vitest";
import { isOlder } from "../../src/doctor/versions.ts";

test("versions are compared number by number, as far as the least says any", () => {
  const older = (["1.9.3", "1.20.4", "0.99", "1"] as const).map((version) => isOlder(version, "1.21"));
  expect(older).toEqual([true, true, true, true]);
  const recent = (["1.21.0", "1.21.4-gatehouse", "1.100", "2.0.1", "1.21"] as const).map((version) => isOlder(version, "1.21"));
  expect(recent).toEqual([false, false, false, false, false]);
  expect([isOlder("14.9 (Debian 14.9-1)", "15"), isOlder("15beta1", "15"), isOlder("999.0.0-SNAPSHOT", "26.5")]).toEqual([true, false, false]);
});

test("what does not say its version in numbers is not called old", () => {
  expect(isOlder("unknown", "7")).toBe(false);
});
