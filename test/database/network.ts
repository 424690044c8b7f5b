import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

type Server = { host: string; port: number };

/** Stands before a server, or another that it is told to lead to; what is connected when it swallows hears nothing any more, later ones are served. */
export async function network(first: Server) {
  let server = first;
  const pairs: Socket[][] = [];
  const listening = createServer((near) => {
    const far = connect(server);
    pairs.push([near, far]);
    for (const socket of [near, far]) socket.on("error", () => {});
    near.pipe(far).pipe(near);
  }).listen(0, "127.0.0.1");
  await once(listening, "listening");
  const swallow = () => {
    for (const [near, far] of pairs.splice(0)) near?.unpipe(far).on("data", () => {});
  };
  const lead = (to: Server) => void (server = to);
  return { lead, port: (listening.address() as AddressInfo).port, swallow, close: () => listening.close() };
}
