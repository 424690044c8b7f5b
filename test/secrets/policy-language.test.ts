import * as fc from "fast-check";
import { expect, it } from "vitest";
import { parsePolicy, type Rule } from "../../src/secrets/embedded/policies/policy.ts";
import { capabilitiesOn } from "../../src/secrets/embedded/policies/rights.ts";

it("reads a policy as people write them", () => {
  const rules = parsePolicy(`
    # AppRoles
    path "auth/approle/role/+" {
      comment = "no update"
      capabilities = ["create", "read",
        "delete"] // list
    }
    /* all of it */ path "/secret/\\"x\\"/*" { capabilities = ["deny", "read"] }
    path "old" { policy = "read" }
  `);
  expect(rules).toEqual([
    { path: "auth/approle/role/+", capabilities: ["create", "read", "delete"] },
    { path: `secret/"x"/*`, capabilities: ["deny"] },
    { path: "old", capabilities: ["read", "list"] },
  ]);
});

it("fails on any text only with a SyntaxError that names a place, and in time", () => {
  const piece = fc.constantFrom("path", `"x"`, "{", "}", "[", "]", "=", ",", "capabilities", `"read"`, `"deny"`, "#", "\n", "/*", "*/", `"`, "\\", "name", "1", "true", "\u0000", "é");
  const texts = fc.oneof(fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(" ")), fc.string({ maxLength: 200, unit: "binary" }), fc.json());
  fc.assert(
    fc.property(texts, (text) => {
      try {
        for (const { path, capabilities } of parsePolicy(text)) expect([typeof path, Array.isArray(capabilities)]).toEqual(["string", true]);
      } catch (error) {
        expect(error).toBeInstanceOf(SyntaxError);
      }
    }),
    { numRuns: 2000 },
  );
  for (const hostile of ["[".repeat(60_000), `path "x" ${"{ a ".repeat(15_000)}`, "\"".repeat(60_000), "/*".repeat(30_000)]) expect(() => parsePolicy(hostile)).toThrow(SyntaxError);
});

const segment = fc.constantFrom("a", "b", "ab", "+", "");
const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join("/"));
const rule = fc.record({ path: fc.tuple(path, fc.constantFrom("", "*")).map((parts) => parts.join("")), capabilities: fc.subarray<"read" | "list" | "deny">(["read", "list", "deny"]) });
const rules = fc.array(rule, { maxLength: 6 });

it("never depends on the order of policies, and a denied pattern never gives", () => {
  fc.assert(
    fc.property(rules, path, fc.boolean(), (some: Rule[], asked, isList) => {
      const given = [...capabilitiesOn(some, asked, { isList })].toSorted();
      expect([...capabilitiesOn(some.toReversed(), asked, { isList })].toSorted()).toEqual(given);
      if (given.includes("deny")) expect(given).toEqual(["deny"]);
    }),
    { numRuns: 2000 },
  );
});

it("gives nothing that no matching pattern gives", () => {
  fc.assert(
    fc.property(rules, path, (some: Rule[], asked) => {
      const matching = some.filter((one) => matches(one.path, asked)).flatMap(({ capabilities }) => capabilities);
      for (const capability of capabilitiesOn(some, asked, { isList: false })) expect(matching).toContain(capability);
    }),
    { numRuns: 2000 },
  );
});

/** As the documentation defines patterns, by another way than the code under test. */
function matches(pattern: string, asked: string): boolean {
  const body = pattern.endsWith("*") ? pattern.slice(0, -1) : pattern;
  const source = body.split("/").map((part) => (part === "+" ? "[^/]*" : part.replaceAll("+", "\\+"))).join("/");
  return new RegExp(`^${source}${pattern.endsWith("*") ? ".*" : ""}$`).test(asked);
}
