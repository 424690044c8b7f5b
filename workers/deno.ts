import { startPlatform } from "./platform.ts";
import { type Listen, runUntilSignal } from "./process.ts";

declare const Deno: {
  serve: (
    options: { hostname: string; port: number; onListen: () => void },
    handler: (request: Request, info: { remoteAddr: { hostname: string } }) => Response | Promise<Response>,
  ) => { addr: { port: number }; shutdown: () => Promise<void> };
};

const listen: Listen = async (handler, { host, port }) => {
  const server = Deno.serve({ hostname: host, port, onListen: () => {} }, (request, info) => handler(request, { source: info.remoteAddr.hostname }));
  return { port: server.addr.port, close: () => server.shutdown() };
};

await runUntilSignal((closers) => startPlatform(listen, closers));
