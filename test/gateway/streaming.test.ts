import { connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import { gatewayBefore } from "./platform.ts";
import { never, sockets, to } from "./sockets.ts";

const { overTheWire, closing, close } = sockets();
afterEach(close);

test("An answer is streamed: its beginning arrives before it ends", async () => {
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  const service = await overTheWire(() => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode("[1,"));
        stream = controller;
      },
    });
    return new Response(body, { headers: { "content-type": "application/json" } });
  });
  const { app } = gatewayBefore({ users: to(service.url) });
  const reader = (await app.request("/api/users/me")).body!.getReader();
  expect(new TextDecoder().decode((await reader.read()).value)).toBe("[1,");
  stream?.enqueue(new TextEncoder().encode("2]"));
  stream?.close();
  expect(new TextDecoder().decode((await reader.read()).value)).toBe("2]");
  expect((await reader.read()).done).toBe(true);
});

test("A request's body is streamed: its beginning arrives before it ends", async () => {
  const parts: string[] = [];
  const arrived = Promise.withResolvers<void>();
  const service = await overTheWire(async (request) => {
    for await (const part of request.body!.pipeThrough(new TextDecoderStream())) {
      parts.push(part);
      arrived.resolve();
    }
    return Response.json({});
  });
  const front = await overTheWire(gatewayBefore({ users: to(service.url) }).app.fetch);
  const socket = connect(front.port, "127.0.0.1");
  closing.push(() => socket.destroy());
  socket.write('POST /api/users/register HTTP/1.1\r\nHost: a.test\r\nContent-Type: application/json\r\nContent-Length: 4\r\n\r\n{"');
  await arrived.promise;
  expect(parts).toEqual(['{"']);
  socket.write('a"');
  const answer = await new Promise<string>((resolve) => socket.once("data", (bytes) => resolve(String(bytes))));
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(parts.join("")).toBe('{"a"');
});

test("A client that goes away ends the call of the service, without a word of an unavailable one", async () => {
  const started = Promise.withResolvers<AbortSignal>();
  const { app, lines } = gatewayBefore({
    users: {
      fetch: (request) => {
        started.resolve(request.signal);
        return never();
      },
    },
  });
  const front = await overTheWire(app.fetch);
  const socket = connect(front.port, "127.0.0.1");
  socket.write("GET /api/users/me HTTP/1.1\r\nHost: a.test\r\n\r\n");
  const signal = await started.promise;
  const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve));
  socket.destroy();
  await aborted;
  await expect.poll(() => lines.map(({ status }) => status)).toEqual([499]);
  expect(lines.filter(({ level }) => level !== "info")).toEqual([]);
}, 5000);

test("A client that goes away in the middle of an answer ends the service's", async () => {
  const cancelled = Promise.withResolvers<void>();
  const service = await overTheWire(() => {
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode("[1,")),
      cancel: () => cancelled.resolve(),
    });
    return new Response(body, { headers: { "content-type": "application/json" } });
  });
  const front = await overTheWire(gatewayBefore({ users: to(service.url) }).app.fetch);
  const socket = connect(front.port, "127.0.0.1");
  socket.write("GET /api/users/me HTTP/1.1\r\nHost: a.test\r\n\r\n");
  socket.once("data", () => socket.destroy());
  await cancelled.promise;
}, 5000);

test("A reader that stops reading an answer ends the service's", async () => {
  const cancelled = Promise.withResolvers<void>();
  const body = () => new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1024)), cancel: () => cancelled.resolve() });
  const service = await overTheWire(() => new Response(body(), { headers: { "content-type": "application/json" } }));
  const response = await gatewayBefore({ users: to(service.url) }).app.request("/api/users/me");
  await response.body!.cancel();
  await cancelled.promise;
}, 5000);
