import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Webhooks } from "../../src/webhooks/webhooks.ts";
import { type WebhookPlatform, webhookPlatform } from "./webhooks.ts";

let platform: WebhookPlatform;
let hooks: Webhooks;
beforeAll(async () => {
  platform = await webhookPlatform();
  hooks = platform.newWebhooks({ fetch: (request) => fetch(request), openness: { isLoopback: true, isPrivate: false }, timeout: 500 });
});
afterAll(() => platform.close());

const servers: Server[] = [];
afterEach(async () => {
  await platform.database.query("DELETE FROM webhooks.endpoints");
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

type Hit = { method: string; url: string; body: string; headers: IncomingMessage["headers"] };

/** A receiver behind a socket, and what has reached it. */
async function listening(answer: (response: ServerResponse, request: IncomingMessage) => void): Promise<{ url: string; hits: Hit[] }> {
  const hits: Hit[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      hits.push({ method: request.method ?? "", url: request.url ?? "", body: Buffer.concat(chunks).toString(), headers: request.headers });
      answer(response, request);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, hits };
}

/** The state of an endpoint at `url` after one event was brought there. */
async function afterOne(url: string): Promise<Record<string, unknown>> {
  const { id } = (await hooks.create({ url, types: ["user.updated"], description: "" }))!;
  await platform.write();
  await platform.relay();
  await hooks.run();
  return platform.state(id);
}

test("a body of 50 MiB is not read, and its 200 counts", async () => {
  let sent = 0;
  const chunk = new Uint8Array(64 * 1024);
  const { url, hits } = await listening((response) => {
    response.writeHead(200, { "content-type": "application/octet-stream" });
    const pump = (): void => {
      while (sent < 50 * 1024 * 1024 && !response.destroyed) {
        sent += chunk.byteLength;
        if (!response.write(chunk)) return void response.once("drain", pump);
      }
      response.end();
    };
    pump();
  });
  expect(await afterOne(url)).toMatchObject({ pending: 0, failures: 0, lastSuccessAt: expect.any(String) });
  expect(hits).toMatchObject([{ method: "POST", url: "/hook", headers: { "webhook-id": expect.any(String), "content-type": "application/cloudevents+json; charset=UTF-8" } }]);
  expect(sent).toBeLessThan(25 * 1024 * 1024);
});

test.each([301, 302, 303, 307, 308])("a %s is not followed", async (status) => {
  const elsewhere = await listening((response) => response.writeHead(204).end());
  const { url } = await listening((response) => response.writeHead(status, { location: elsewhere.url }).end());
  expect(await afterOne(url)).toMatchObject({ pending: 1, failures: 1, lastFailure: "redirect" });
  expect(elsewhere.hits).toEqual([]);
});

test("one that does not answer in time has failed", async () => {
  const { url, hits } = await listening(() => {});
  expect(await afterOne(url)).toMatchObject({ pending: 1, failures: 1, lastFailure: "timeout", lastStatus: null });
  expect(hits).toHaveLength(1);
});

test("one that answers its head in time and its body never has received", async () => {
  const { url } = await listening((response) => {
    response.writeHead(202);
    response.write("a");
  });
  expect(await afterOne(url)).toMatchObject({ pending: 0, failures: 0 });
});

test.each([["hangs up", (response: ServerResponse) => void response.socket?.destroy()], ["talks nonsense", (response: ServerResponse) => void response.socket?.end("\u0000\u0001 nonsense\r\n\r\n")]])("one that %s has failed", async (_, answer) => {
  const { url } = await listening(answer);
  expect(await afterOne(url)).toMatchObject({ pending: 1, failures: 1, lastFailure: "unreachable" });
});

test("one that is down has failed", async () => {
  const { url } = await listening(() => {});
  const server = servers.pop()!;
  await new Promise((resolve) => server.close(resolve));
  expect(await afterOne(url)).toMatchObject({ pending: 1, failures: 1, lastFailure: "unreachable" });
});
