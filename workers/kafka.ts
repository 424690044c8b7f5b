import { createZstdDecompress } from "node:zlib";
import kafkajs from "kafkajs";
import { type Bridge, brokerBridge } from "../src/broker/bridge.ts";
import { type Address, CredentialsRefused, type KafkaConnection, type KafkaNetwork } from "../src/broker/bridge/network.ts";
import { SettingsError } from "../src/env.ts";
import { basicAuthorization, type BasicCredential } from "../src/http/basic.ts";
import type { Log } from "../src/http/log.ts";
import type { KafkaSettings } from "../src/settings/process.ts";
import { readAuthority } from "./authority.ts";
import type { Closers } from "./process.ts";

/** What of kafkajs 2.2.4 is behind its types: connections to one node, which prove who we are and know how to ask. */
type Connection = {
  isConnected: () => boolean;
  send: (protocol: { request: object; response: object }) => Promise<Uint8Array>;
  rejectRequests: (error: Error) => void;
  disconnect: () => Promise<unknown>;
  processData: (bytes: Uint8Array) => void;
  /** With what is waited for. */
  bytesNeeded: number;
  /** Of the step by which it is just proving who we are. */
  authHandlers: { onError: () => void } | null;
  socket?: { destroy: () => void };
  requestQueue: { pending: unknown[]; throttledUntil: number; scheduleCheckPendingRequests: () => void };
};
type Pool = { pool: Connection[] };
type Internals = {
  rootLogger: object;
  connectionPoolBuilder: { build: (to: Address) => Promise<Pool> };
  brokerPool: { createBroker: (of: { connectionPool: Pool; logger: object }) => { connect: () => Promise<void> } };
};

const CONNECT_MS = 2000;
/** Ours are shorter: they end with the call. */
const REQUEST_MS = 30_000;
/** Of one answer: as much as Kafka, unless told otherwise, takes in one request. */
const MAX_ANSWER_BYTES = 100 * 1024 * 1024;

/** The bridge to the Kafka that `settings` name. */
export function openBridge(settings: KafkaSettings, { credentials, log, closers }: { credentials: BasicCredential; log: Log; closers: Closers }): Bridge {
  const bridge = brokerBridge({ network: kafkaNetwork(settings, log), decompressors: { zstd }, credentials, now: Date.now, log });
  closers.push(bridge.close);
  return bridge;
}

function zstd(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  return createZstdDecompress().end(bytes);
}

/** A bridge that only this process can speak to, with the header that lets it. */
export function ownBridge(settings: KafkaSettings, on: { log: Log; closers: Closers }): Bridge & { url: string; authorization: string } {
  const credentials = { username: "own", password: crypto.randomUUID() };
  return { ...openBridge(settings, { ...on, credentials }), url: "http://bridge.localhost", authorization: basicAuthorization(credentials) };
}

/** Connections to the nodes of a Kafka, made by kafkajs. */
export function kafkaNetwork(settings: KafkaSettings, log: Log): KafkaNetwork {
  const brokers = settings.KAFKA_BROKERS.split(",");
  const kafka = new kafkajs.Kafka({
    clientId: "gatehouse",
    brokers,
    ssl: tls(settings),
    ...sasl(settings),
    connectionTimeout: CONNECT_MS,
    authenticationTimeout: CONNECT_MS,
    requestTimeout: REQUEST_MS,
    logLevel: kafkajs.logLevel.WARN,
    logCreator: () => told(log),
  });
  const { connectionPoolBuilder, brokerPool, rootLogger } = internals(kafka);
  return {
    brokers: brokers.map(addressOf),
    async connect(to) {
      const connectionPool = await connectionPoolBuilder.build(to);
      const [connection] = connectionPool.pool;
      if (!connection) throw new Error("Cannot connect: kafkajs made no connection");
      quieten(connection);
      guard(connection);
      try {
        await brokerPool.createBroker({ connectionPool, logger: rootLogger }).connect();
      } catch (cause) {
        end(connection, cause as Error);
        throw isRefused(cause) ? new CredentialsRefused("Kafka does not accept the credentials", { cause }) : cause;
      }
      return spoken(connection);
    },
  };
}

/** Its clusters are made by a symbol of its own; the version is pinned. */
function internals(kafka: object): Internals {
  const symbol = Object.getOwnPropertySymbols(kafka).find(({ description }) => description === "private:Kafka:createCluster");
  if (!symbol) throw new Error("Cannot use kafkajs: it is another version than 2.2.4");
  return (kafka as Record<symbol, (options: object) => Internals>)[symbol]!({});
}

function spoken(connection: Connection): KafkaConnection {
  return {
    isOpen: () => connection.isConnected(),
    send({ api, version, body }) {
      const encoded = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
      const request = { apiKey: api, apiVersion: version, apiName: `API ${api}`, encode: async () => ({ buf: encoded, buffer: encoded }) };
      return connection.send({ request, response: { decode: async (payload: Uint8Array) => ({ payload }), parse: async ({ payload }: { payload: Uint8Array }) => payload } });
    },
    close: () => end(connection, new Error("The connection was closed here")),
  };
}

/** At once: kafkajs would wait for answers, and leave the socket to the other side. */
function end(connection: Connection, why: Error): void {
  connection.authHandlers?.onError();
  connection.rejectRequests(why);
  connection.socket?.destroy();
  void connection.disconnect();
}

/** After each answer kafkajs sets a timer for the past, of which Node and Deno warn; it is of use only while something waits. */
function quieten({ requestQueue }: Connection): void {
  const schedule = requestQueue.scheduleCheckPendingRequests;
  requestQueue.scheduleCheckPendingRequests = () => {
    if (requestQueue.pending.length > 0 || requestQueue.throttledUntil > Date.now()) schedule.call(requestQueue);
  };
}

/** kafkajs believes whatever length it reads: one below four would end the process, and one of two gigabytes would be waited for. */
function guard(connection: Connection): void {
  const { processData } = connection;
  connection.processData = (bytes) => {
    try {
      processData.call(connection, bytes);
      if (connection.bytesNeeded > MAX_ANSWER_BYTES) throw new RangeError(`It would have ${connection.bytesNeeded} bytes`);
    } catch (error) {
      end(connection, new Error(`Cannot take this for an answer of Kafka: ${(error as Error).message}`));
    }
  };
}

function isRefused(error: unknown): boolean {
  return error instanceof Error && error.name === "KafkaJSSASLAuthenticationError";
}

/** What kafkajs says of a connection that fails, we say ourselves, and once. */
function told(log: Log) {
  return ({ namespace, log: { message } }: { namespace: string; log: { message: string } }) => {
    if (/^(Connection|Broker|BrokerPool|Sasl.*)$/.test(namespace)) return;
    log({ level: "warn", service: "broker", message: `kafkajs: ${message}` });
  };
}

function tls({ KAFKA_TLS: isOn, KAFKA_CA_FILE: file }: KafkaSettings): boolean | { ca: string } {
  if (file === undefined) return isOn;
  if (!isOn) throw new SettingsError("Cannot use KAFKA_CA_FILE without KAFKA_TLS");
  return { ca: readAuthority("KAFKA_CA_FILE", file) };
}

function sasl({ KAFKA_SASL_MECHANISM: mechanism, KAFKA_USERNAME: username, KAFKA_PASSWORD: password }: KafkaSettings) {
  if (mechanism === undefined && username !== undefined) throw new SettingsError("Cannot use KAFKA_USERNAME without KAFKA_SASL_MECHANISM");
  if (mechanism === undefined) return {};
  if (username === undefined || password === undefined) throw new SettingsError(`Cannot use KAFKA_SASL_MECHANISM "${mechanism}" without KAFKA_USERNAME and KAFKA_PASSWORD`);
  return { sasl: { mechanism, username, password } as kafkajs.SASLOptions };
}

function addressOf(text: string): Address {
  const [host = "", port = ""] = text.split(":");
  return { host, port: Number(port) };
}
