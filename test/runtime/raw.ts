import { connect } from "node:net";

/** The status of a request whose target goes over the wire exactly as given, which no HTTP client would send. */
export function statusOf(base: string, target: string): Promise<number> {
  const { hostname, port, host } = new URL(base);
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      socket.write(`POST ${target} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`);
    });
    socket.setTimeout(10_000, () => socket.destroy(new Error(`No answer to ${target}`)));
    socket.on("data", (part) => (answer += part.toString("latin1")));
    socket.on("error", reject);
    socket.on("close", () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1])));
  });
}
