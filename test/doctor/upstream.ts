import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A system that answers as `listener` says, on a port of its own. */
export async function scripted(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A system that takes connections and speaks as `speaker` does, or not at all like one that is stopped; its host and port. */
export async function taking(speaker: (socket: Socket) => void = () => {}): Promise<string> {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    sockets.push(socket.on("error", () => {}));
    speaker(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** `path` → the JSON it is answered with, or a status and the JSON; anything else is 404. */
export function answering(routes: Record<string, unknown>, headers: () => Record<string, string> = () => ({})): RequestListener {
  return (request, response) => {
    const path = (request.url ?? "").split("?")[0] ?? "";
    const found = routes[`${request.method} ${path}`] ?? routes[path];
    const [status, body] = Array.isArray(found) ? (found as [number, unknown]) : [found === undefined ? 404 : 200, found ?? {}];
    response.writeHead(status, { "content-type": "application/json", ...headers() }).end(JSON.stringify(body));
  };
}
