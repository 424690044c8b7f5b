import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import type { Arrival } from "../src/compose/runtime.ts";
import type { Listen } from "./process.ts";

const LIMITS = { maxHeaderSize: 16 * 1024, headersTimeout: 10_000, requestTimeout: 30_000 };
/** What a request has not done by then, its deadline has already ended. */
const DRAIN_MS = 10_000;

/** HTTP/1.1 with bounds on what a client may send and on how long it may take. */
export const listenOnNode: Listen = (handler, { host, port }) => {
  const server = createServer(LIMITS, getRequestListener((request, { incoming }) => handler(request, arrivalOf(incoming))));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeIdleConnections();
      setTimeout(() => server.closeAllConnections(), DRAIN_MS).unref();
    });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve({ port: (server.address() as AddressInfo).port, close }));
  });
};

function arrivalOf({ socket, url }: { socket: { remoteAddress?: string | undefined }; url?: string | undefined }): Arrival {
  return { source: socket.remoteAddress, target: url };
}
