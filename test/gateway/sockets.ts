import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Fetch } from "../../src/http/fetch.ts";
import { type Listening, listen } from "./platform.ts";

export const never = () => new Promise<Response>(() => {});

/** `fetch` over the network, where the service has its address. */
export const to = (url: string): { fetch: Fetch } => ({ fetch: (request) => fetch(new Request(request.url.replace("http://users.test", url), request)) });

/** Listeners on free ports; `close` ends them, and whatever else is in `closing`. */
export function sockets() {
  const closing: (() => Promise<unknown> | unknown)[] = [];

  async function overTheWire(fetch: (request: Request) => Response | Promise<Response>): Promise<Listening> {
    const service = await listen(fetch);
    closing.push(service.close);
    return service;
  }

  /** A service that is only a socket: it sends these bytes to whoever connects, and hangs up when told to. */
  async function socketService(bytes: string, { hangsUp = true } = {}): Promise<string> {
    const server = createServer();
    server.removeAllListeners("request");
    server.on("connection", (socket) => {
      socket.on("error", () => {});
      socket.once("data", () => (hangsUp ? socket.end(bytes) : socket.write(bytes)));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closing.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async function close(): Promise<void> {
    for (const end of closing.splice(0)) await end();
  }

  return { overTheWire, socketService, closing, close };
}
