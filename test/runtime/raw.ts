import { connect } from "node:net";

/** The status of a POST whose target goes over the wire exactly as given, which no HTTP client would send. */
export function statusOf(base: string, target: string): Promise<number> {
  return exchanged(base, (host) => `POST ${target} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`);
}

/** The status of a GET that asks for another host than the one it goes to. */
export function statusFor(host: string, url: string): Promise<number> {
  return exchanged(url, () => `GET ${new URL(url).pathname} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
}

function exchanged(base: string, message: (host: string) => string): Promise<number> {
  const { hostname, port, host } = new URL(base);
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(message(host)));
    socket.setTimeout(10_000, () => socket.destroy(new Error(`No answer from ${base}`)));
    socket.on("data", (part) => (answer += part.toString("latin1")));
    socket.on("error", reject);
    socket.on("close", () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1])));
  });
}
