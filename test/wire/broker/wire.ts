import type { Fetch } from "../../../src/http/fetch.ts";

/** A broker behind Confluent's REST v3, and what the suite has to know of it. */
export type BrokerUnderTest = {
  fetch: Fetch;
  /** With the prefix of the installation, without `/v3`. */
  baseUrl: string;
  credentials?: { username: string; password: string };
};

export type Answer = { status: number; headers: Headers; text: string; body: any };

export type Wire = Awaited<ReturnType<typeof openWire>>;

export async function openWire(under: BrokerUnderTest) {
  const { fetch, baseUrl, credentials } = under;
  const authorization = credentials && `Basic ${base64(`${credentials.username}:${credentials.password}`)}`;

  async function send(url: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(new Request(url, { redirect: "manual", ...init }));
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parsed(text) };
  }

  /** One call as `method path`, the path below the base; a string is sent as it is. */
  function call(line: string, { body, headers }: { body?: unknown; headers?: Record<string, string> } = {}): Promise<Answer> {
    const [method = "", path = ""] = line.split(/ (.*)/s);
    return send(`${baseUrl}${path}`, {
      method,
      headers: { ...(authorization && { authorization }), ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  }

  const cluster: string = (await call("GET /v3/clusters")).body.data[0].cluster_id;
  const topics = `/v3/clusters/${cluster}/topics`;

  async function newTopic(partitions = 1, more: Record<string, unknown> = {}): Promise<string> {
    const name = fresh("t-");
    const made = await call(`POST ${topics}`, { body: { topic_name: name, partitions_count: partitions, ...more } });
    if (made.status !== 201) throw new Error(`Cannot make a topic: ${made.status} ${made.text}`);
    return name;
  }

  /** The reports of records sent as one concatenated body. */
  async function produce(topic: string, ...records: unknown[]): Promise<any[]> {
    const { text } = await call(`POST ${topics}/${topic}/records`, { body: records.map((record) => JSON.stringify(record)).join("\n") });
    return reportsIn(text);
  }

  async function read(topic: string, partition = 0, query = ""): Promise<Answer> {
    return call(`GET ${topics}/${topic}/partitions/${partition}/records${query}`);
  }

  return { ...under, send, call, cluster, topics, newTopic, produce, read };
}

/** Streamed answers are separated by CRLF. */
export function reportsIn(text: string): any[] {
  return text.split("\r\n").filter(Boolean).map((line) => JSON.parse(line));
}

/** A name that no earlier run has used. */
export function fresh(prefix: string): string {
  return `${prefix}${crypto.randomUUID().slice(0, 13)}`;
}

export function string(data: string | null) {
  return { type: "STRING", data };
}

export function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

export function textOf(datum: { data: string }): string {
  return Buffer.from(datum.data, "base64").toString();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
