/** An answer of the wire that is not the one asked for; the HTTP status is the first three digits of the code. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: number;
  readonly headers: Record<string, string>;

  constructor(code: number, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.code = code;
    this.headers = headers;
  }

  get status(): number {
    return Number(String(this.code).slice(0, 3));
  }

  response(): Response {
    return Response.json({ error_code: this.code, message: this.message }, { status: this.status, headers: this.headers });
  }
}

export function unauthorized(): Refusal {
  return new Refusal(401, "Unauthorized", { "www-authenticate": 'Basic realm="broker"' });
}

/** What Kafka itself refuses. */
export function badRequest(message: string): Refusal {
  return new Refusal(40002, message);
}

export function invalidTopic(): Refusal {
  return badRequest("The request attempted to perform an operation on an invalid topic.");
}

/** What the REST interface cannot read. */
export function unreadable(message: string): Refusal {
  return new Refusal(400, `Bad Request: ${message}`);
}

export function badPayload(message: string): Refusal {
  return new Refusal(42206, `Payload error. ${message}`);
}

export function badBatch(message: string): Refusal {
  return new Refusal(42208, message);
}

export function unknownTopic(): Refusal {
  return new Refusal(40403, "This server does not host this topic-partition.");
}

export function httpRefusal(status: 404 | 405 | 413 | 415): Refusal {
  const reason = { 404: "Not Found", 405: "Method Not Allowed", 413: "Request Entity Too Large", 415: "Unsupported Media Type" }[status];
  return new Refusal(status, `HTTP ${status} ${reason}`);
}

/** What Kafka's producer says of a place it does not find; the real one waits a minute for it to appear. */
export function notPresent(topic: string, place?: { partition: number; count: number }): Refusal {
  const what = place ? `Partition ${place.partition} of topic ${topic} with partition count ${place.count} is` : `Topic ${topic}`;
  return new Refusal(40401, `${what} not present in metadata after 60000 ms.`);
}

export function outOfRange(): Refusal {
  return badRequest("The requested offset is not within the range of offsets maintained by the server.");
}

/** Of a log that cannot be reached: nothing was done. */
export function away(): Refusal {
  return new Refusal(50302, "The broker is not available.", { "retry-after": "1" });
}

/** Of a record whose fate is not known: it is in the log, or not, or may yet come to be. */
export function unconfirmed(): Refusal {
  return new Refusal(50003, "The broker did not say in time whether it has kept the record.");
}

/** What Kafka says of a record that has no room. */
export function tooLarge(): Refusal {
  return new Refusal(413, "The request included a message larger than the max message size the server will accept.");
}

/** As it is told of one record among many, with codes as the streaming answers write them. */
export function recordFault({ code, message }: Refusal): { error_code: number; message: string } {
  return String(code).startsWith("422") ? { error_code: 422, message: `Error: ${code} : ${message}` } : { error_code: code, message };
}
