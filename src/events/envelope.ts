import * as z from "zod";

/** CloudEvents 1.0 as our records carry them: structured JSON, every attribute of ours in its place. */
export type CloudEvent<Type extends string = string, Data = Record<string, unknown>> = {
  specversion: "1.0";
  /** The same however often the event is delivered: what consumers tell repetitions by. */
  id: string;
  /** The service it happened in, such as `/user-service`. */
  source: string;
  type: Type;
  /** Whom it is about, and the record's key: a user id; for `admin.called` the caller's `sub`. */
  subject: string;
  /** When it happened, in UTC. */
  time: string;
  datacontenttype: "application/json";
  dataschema: string;
  /** The trace it happened in (the Distributed Tracing extension). */
  traceparent?: string | undefined;
  data: Data;
};

/** What an outbox row says of its event. */
export type Outgoing = {
  id: string;
  type: string;
  key: string;
  data: Record<string, unknown>;
  traceparent: string | null;
  /** Milliseconds since the epoch. */
  createdAt: number;
};

/** The media type of a record's value, as its `content-type` header says. */
export const EVENT_MEDIA_TYPE = "application/cloudevents+json; charset=UTF-8";

export const EnvelopeSchema = z.object({
  specversion: z.literal("1.0"),
  id: z.string().min(1).describe("The same however often the event is delivered: tell repetitions by it"),
  source: z.string().min(1).describe("The service it happened in"),
  type: z.string().min(1),
  subject: z.string().min(1).describe("Whom it is about, and the record's key"),
  time: z.iso.datetime().describe("When it happened, in UTC"),
  datacontenttype: z.literal("application/json"),
  dataschema: z.string().min(1).describe("Names the contract of the data: a change that would break a reader is a new type"),
  traceparent: z.string().optional().describe("The trace it happened in (W3C Trace Context)"),
  data: z.record(z.string(), z.unknown()),
});

export function envelopeOf({ id, type, key, data, traceparent, createdAt }: Outgoing): CloudEvent {
  return {
    specversion: "1.0",
    id,
    source: sourceOf(type),
    type,
    subject: key,
    time: new Date(createdAt).toISOString(),
    datacontenttype: "application/json",
    dataschema: dataSchemaOf(type),
    ...(traceparent !== null && { traceparent }),
    data,
  };
}

/** The event in a record's value; undefined for what is not one of ours. */
export function readEnvelope(text: string): CloudEvent | undefined {
  try {
    return EnvelopeSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** The service whose events begin with its name: `/user-service` for `user.locked`. */
export function sourceOf(type: string): string {
  return `/${type.split(".", 1)[0]}-service`;
}

/** Names the contract of a type's data: a change that breaks consumers is a new type. */
export function dataSchemaOf(type: string): string {
  return `urn:gatehouse:event:${type}`;
}

/** The record's headers: those of structured mode, and every attribute as binary mode has it (Kafka Protocol Binding 3.2, 3.3). */
export function headersOf(event: CloudEvent): [name: string, value: string][] {
  const headers: [string, string][] = [["content-type", EVENT_MEDIA_TYPE]];
  for (const [name, value] of Object.entries(event)) {
    if (typeof value === "string" && name !== "datacontenttype") headers.push([`ce_${name}`, value]);
  }
  return headers;
}
