import { parse } from "yaml";
import * as z from "zod";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as approles from "../../src/admin/approles/routes.ts";
import * as roles from "../../src/admin/roles/routes.ts";
import * as secrets from "../../src/admin/secrets/routes.ts";
import * as topics from "../../src/admin/topics/routes.ts";
import * as webhooks from "../../src/admin/webhooks/routes.ts";
import * as auth from "../../src/auth/routes.ts";
import type { Route } from "../../src/http/route.ts";
import * as users from "../../src/users/routes.ts";
import { describedServices, type Document, examplesOf, operationsOf } from "./described.ts";
import { findings } from "./linter.ts";

const SERVICES = ["user-service", "auth-service", "admin-service", "discovery-service", "config-server", "gateway"];

let platform: Awaited<ReturnType<typeof describedServices>>;
const documents = new Map<string, Document>();
beforeAll(async () => {
  platform = await describedServices();
  for (const name of SERVICES) documents.set(name, (await (await platform.services[name]!("/v3/api-docs")).json()) as Document);
});
afterAll(() => platform.close());

test("no service is left out", () => {
  expect(Object.keys(platform.services)).toEqual(SERVICES);
});

describe.each(SERVICES)("The document of %s", (service) => {
  const document = () => documents.get(service)!;

  test("is one that a public linter has nothing against", async () => {
    expect(document().openapi).toBe("3.1.0");
    expect(await findings(document())).toEqual([]);
  });

  test("says the same in YAML", async () => {
    const yaml = await platform.services[service]!("/v3/api-docs.yaml");
    expect(yaml.headers.get("content-type")).toBe("application/vnd.oai.openapi");
    expect(parse(await yaml.text())).toEqual(document());
  });

  test("has for every operation a name, a summary, a tag, and an example of each body of JSON", () => {
    const operations = operationsOf(document());
    expect(operations.length).toBeGreaterThan(0);
    for (const { name, operation } of operations) {
      expect({ name, ...operation }).toMatchObject({ name, operationId: expect.stringMatching(/^[a-z][A-Za-z]+$/), summary: expect.stringMatching(/./), tags: [expect.any(String)] });
      const succeeding = Object.entries(operation.responses).filter(([status]) => Number(status) < 400);
      const bodies = [operation.requestBody?.content ?? {}, ...succeeding.map(([, { content = {} }]) => content)].flatMap((content) => Object.entries(content));
      for (const [type, media] of bodies.filter(([type]) => type.includes("json"))) {
        expect({ name, type, examples: Object.keys(examplesOf(media)).length > 0 }).toEqual({ name, type, examples: true });
      }
    }
  });

  test("shows each problem as the service answers it", () => {
    for (const { name, operation } of operationsOf(document())) {
      for (const [status, { description, content }] of Object.entries(operation.responses)) {
        const problem = content?.["application/problem+json"];
        if (!problem) continue;
        const shown = examplesOf(problem);
        const announced = description.match(/[A-Z_]+_\d{3}/g);
        expect({ name, status, codes: Object.keys(shown) }).toEqual({ name, status, codes: announced });
        for (const [code, example] of Object.entries(shown)) {
          expect({ name, example }).toEqual({ name, example: expect.objectContaining({ code, status: Number(status), instance: expect.stringMatching(/^\/[^{}]*$/), detail: expect.stringMatching(/./) }) });
          // It names the fields that are refused; an operation that refuses none has none to name.
          const { detail, errors = [] } = example as { detail: string; errors?: { path: string; message: string }[] };
          expect({ name, named: detail.startsWith("Check ") ? detail.slice(6).split(", ") : [] }).toEqual({ name, named: [...new Set(errors.map(({ path }) => path))] });
        }
      }
    }
  });

  test("has the address that it was asked at", () => {
    expect(document().servers).toEqual([{ url: expect.stringMatching(/^http:\/\/[a-z]+\.test$/) }]);
  });
});

test("what a reader is shown to send is what the service takes", () => {
  const routes = [users, auth, approles, roles, secrets, topics, webhooks].flatMap((area): Route[] => Object.values(area));
  const bodies = routes.flatMap(({ operationId, request }) => {
    const media = request?.body?.content["application/json"] as { schema: z.ZodType; example?: unknown; examples?: Record<string, { value: unknown }> } | undefined;
    return media ? Object.values(examplesOf({ ...media, schema: {} })).map((example) => ({ operationId, errors: media.schema.safeParse(example).error?.issues })) : [];
  });
  expect(bodies.length).toBeGreaterThan(10);
  expect(bodies.filter(({ errors }) => errors)).toEqual([]);
});

describe("What the gateway shows of a service", () => {
  test.each(["user-service", "auth-service", "admin-service"])("%s is a whole document, with nothing of the interior", async (service) => {
    const response = await platform.gateway.request(`http://gateway.test/v3/api-docs/${service}`);
    const shown = (await response.json()) as Document;
    expect(await findings(shown)).toEqual([]);
    const names = [...Object.keys(shown.paths), ...Object.keys(shown.components.schemas), ...shown.tags.map(({ name }) => name)];
    expect(names.filter((name) => /^\/internal|LoginAttempt|IdentityProvider|Internal/.test(name))).toEqual([]);
    expect(shown.servers).toEqual([{ url: "/" }]);
    expect(operationsOf(shown).length).toBeGreaterThan(3);
  });
});
