import * as z from "zod";
import { catalogue, type EventDescription, type EventType, TOPICS, type TopicName } from "./catalogue.ts";
import { dataSchemaOf, envelopeOf, EnvelopeSchema, EVENT_MEDIA_TYPE, sourceOf } from "./envelope.ts";

/** JSON Schema of draft 7, which AsyncAPI's own schemas extend. */
export type JsonSchema = { type?: string | string[]; description?: string; properties?: Record<string, JsonSchema>; required?: string[]; [keyword: string]: unknown };

export type ListedEvent = Pick<EventDescription, "topic" | "title" | "description"> & { type: EventType; schema: JsonSchema; example: object };

const BINDING = { bindingVersion: "0.5.0" };
const GENERAL = `Every event is a [CloudEvent](https://cloudevents.io) in structured JSON. Each is delivered at least once: tell repetitions by \`id\`. \
Events of one \`subject\` come in order within a topic. Types and fields are added without notice, so pass over those you do not know; none is taken away or changed.`;

/** The events that `source` publishes, or all: with the schema of their data, and a whole one as an example. */
export function listedEvents(source?: string): ListedEvent[] {
  const all = Object.entries(catalogue) as [EventType, EventDescription][];
  return all
    .filter(([type]) => source === undefined || sourceOf(type) === source)
    .map(([type, { topic, title, description, data, example }]) => ({ topic, title, description, type, schema: schemaOf(data), example: exampleOf(type, example) }));
}

/** The events that `source` publishes, or all, as an AsyncAPI 3 document. */
export function asyncApi({ title, version, source }: { title: string; version: string; source?: string }): object {
  const events = listedEvents(source);
  const topics = (Object.keys(TOPICS) as TopicName[]).filter((name) => events.some(({ topic }) => topic === name));
  const of = (name: TopicName) => events.filter(({ topic }) => topic === name);
  return {
    asyncapi: "3.0.0",
    info: { title, version, description: GENERAL },
    defaultContentType: EVENT_MEDIA_TYPE,
    channels: Object.fromEntries(topics.map((name) => [name, channel(name, of(name))])),
    operations: Object.fromEntries(topics.map((name) => [`publish.${name}`, operation(name, of(name))])),
    components: {
      messages: Object.fromEntries(events.map((event) => [event.type, message(event)])),
      schemas: {
        CloudEvent: schemaOf(EnvelopeSchema),
        ...Object.fromEntries(events.map(({ type, schema }) => [type, schema])),
      },
    },
  };
}

function channel(name: TopicName, events: ListedEvent[]): object {
  const { title, description, partitions } = TOPICS[name];
  return {
    address: name,
    title,
    description,
    messages: Object.fromEntries(events.map(({ type }) => [type, { $ref: `#/components/messages/${type}` }])),
    bindings: { kafka: { ...BINDING, topic: name, partitions } },
  };
}

function operation(name: TopicName, events: ListedEvent[]): object {
  return {
    action: "send",
    title: `Publish to ${name}`,
    channel: { $ref: `#/channels/${name}` },
    messages: events.map(({ type }) => ({ $ref: `#/channels/${name}/messages/${type}` })),
  };
}

function message({ type, title, description, example }: ListedEvent): object {
  return {
    name: type,
    title,
    description,
    contentType: EVENT_MEDIA_TYPE,
    headers: {
      type: "object",
      description: "The attributes again, each as a header of its name behind `ce_`",
      properties: { "content-type": { const: EVENT_MEDIA_TYPE }, ce_id: { type: "string" }, ce_type: { const: type } },
      required: ["content-type", "ce_id", "ce_type"],
    },
    payload: {
      allOf: [
        { $ref: "#/components/schemas/CloudEvent" },
        {
          type: "object",
          properties: {
            type: { const: type },
            source: { const: sourceOf(type) },
            dataschema: { const: dataSchemaOf(type) },
            data: { $ref: `#/components/schemas/${type}` },
          },
        },
      ],
    },
    bindings: { kafka: { ...BINDING, key: { type: "string", description: "The event's `subject`" } } },
    examples: [{ name: type, payload: example }],
  };
}

function exampleOf(type: EventType, data: Record<string, unknown>): object {
  return envelopeOf({
    id: "2f1b7c1e-5d0a-4c8e-9a54-0f6d3b6c8e11",
    type,
    key: String(data["userId"] ?? data["caller"]),
    data,
    traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    createdAt: Date.UTC(2026, 10, 16, 9, 30),
  });
}

/** As a reader may rely on it: fields that are not in it may be added. */
function schemaOf(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { target: "draft-7", io: "input" }) as JsonSchema;
  return rest;
}
