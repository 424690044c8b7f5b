import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { brokerBridge } from "../../src/broker/bridge.ts";
import { writer } from "../../src/broker/bridge/protocol/writer.ts";
import { readSettings } from "../../src/env.ts";
import { bridgeSettings } from "../../src/settings/process.ts";
import { kafkaNetwork } from "../../workers/kafka.ts";

const CREDENTIALS = { username: "broker", password: "of the tests" };
const HEADERS = { authorization: `Basic ${btoa(`${CREDENTIALS.username}:${CREDENTIALS.password}`)}` };
const API_VERSIONS = 18;
const SASL_HANDSHAKE = 17;

type Saying = { at: "once" | "the proof" | "a question"; bytes: number[] };

/** Whoever answers where a Kafka should: as one until `at`, and with `bytes` from there on. */
async function pretender({ at, bytes }: Saying): Promise<{ port: number; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.on("data", (request) => {
      const api = request.readInt16BE(4);
      const isAnswered = api === API_VERSIONS ? at !== "once" : api === SASL_HANDSHAKE;
      socket.write(isAnswered ? answerTo(request) : new Uint8Array(bytes));
    });
  }).listen(0, "127.0.0.1");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port, sockets };
}

/** Of versions: all that kafkajs asks about. Of the handshake: that any way of proving who we are will do. */
function answerTo(request: Buffer): Uint8Array {
  const to = writer();
  const [api, version] = [request.readInt16BE(4), request.readInt16BE(6)];
  to.int32(request.readInt32BE(8));
  to.int16(0);
  if (api === SASL_HANDSHAKE) to.array(["PLAIN"], to.string);
  else {
    to.array([0, 1, 2, 3, SASL_HANDSHAKE, API_VERSIONS, 19, 20, 22, 32, 36, 37, 44], (key) => {
      to.int16(key);
      to.int16(0);
      to.int16(20);
    });
    if (version > 0) to.int32(0);
  }
  const body = to.done();
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length);
  return Buffer.concat([length, body]);
}

const SASL = { KAFKA_SASL_MECHANISM: "plain", KAFKA_USERNAME: "we", KAFKA_PASSWORD: "ours" };

it.each<[string, Saying, Record<string, string>?]>([
  ["a length of nothing at once", { at: "once", bytes: [0, 0, 0, 0] }],
  ["a negative length at once", { at: "once", bytes: [255, 255, 255, 255] }],
  ["HTTP", { at: "once", bytes: [...Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n")] }],
  ["a length of nothing to a question", { at: "a question", bytes: [0, 0, 0, 0] }],
  ["a length without room for what was asked", { at: "a question", bytes: [0, 0, 0, 2, 0, 0] }],
  ["a negative length to a question", { at: "a question", bytes: [255, 255, 255, 0, 0, 0, 0, 0] }],
  ["that two gigabytes will follow", { at: "a question", bytes: [127, 255, 255, 255, 0, 0, 0, 0] }],
  ["that two gigabytes will follow, to who we are", { at: "the proof", bytes: [127, 255, 255, 255, 0, 0, 0, 0] }, SASL],
  ["a negative length to who we are", { at: "the proof", bytes: [255, 255, 255, 255] }, SASL],
])("is away, and ends the connection, where it hears %s", async (_, saying, sasl = {}) => {
  const { port, sockets } = await pretender(saying);
  const settings = readSettings(bridgeSettings, { ...sasl, KAFKA_BROKERS: `127.0.0.1:${port}`, BROKER_PASSWORD: "not used here: see above" });
  const { fetch, close } = brokerBridge({ network: kafkaNetwork(settings, () => {}), credentials: CREDENTIALS, now: Date.now, log: () => {} });
  onTestFinished(close);
  const began = Date.now();
  const { status } = await fetch(new Request("http://bridge.test/v3/clusters", { headers: HEADERS }));
  // kafkajs takes whatever fails while it proves who we are for a refusal.
  expect(status).toBe(saying.at === "the proof" ? 401 : 503);
  // Not when its time is over: when it hears it.
  expect(Date.now() - began).toBeLessThan(1500);
  await expect.poll(() => sockets.every(({ destroyed }) => destroyed)).toBe(true);
});
