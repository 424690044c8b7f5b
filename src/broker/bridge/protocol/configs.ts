import type { ConfigEntry } from "../../rest/cluster.ts";
import type { Reader } from "./reader.ts";
import { type Judgement, type Request, request } from "./request.ts";

const TOPIC = 2;
/** Kafka's `ConfigSource`: each name at the place of its byte code. */
const SOURCES = [
  "UNKNOWN", "DYNAMIC_TOPIC_CONFIG", "DYNAMIC_BROKER_CONFIG", "DYNAMIC_DEFAULT_BROKER_CONFIG", "STATIC_BROKER_CONFIG", "DEFAULT_CONFIG",
  "DYNAMIC_BROKER_LOGGER_CONFIG", "DYNAMIC_CLIENT_METRICS_CONFIG", "DYNAMIC_GROUP_CONFIG",
];
const SET = 0;
const DELETE = 1;

export function describeConfigsRequest(topic: string): Request<(Judgement & { configs: ConfigEntry[] }) | undefined> {
  return request({
    api: 32,
    version: 1,
    write(to) {
      to.array([topic], (name) => {
        to.int8(TOPIC);
        to.string(name);
        to.int32(-1);
      });
      to.boolean(true);
    },
    read(from) {
      from.int32();
      return from.array(() => {
        const judgement = judgementIn(from);
        return { ...judgement, configs: from.array(() => configIn(from)) };
      })[0];
    },
  });
}

/** Of one resource, whose kind and name follow it: they are as asked. */
function judgementIn(from: Reader): Judgement {
  const judgement = { code: from.int16(), message: from.string() };
  from.int8();
  from.string();
  return judgement;
}

function configIn(from: Reader): ConfigEntry {
  const name = from.string() ?? "";
  const value = from.string();
  const isReadOnly = from.boolean();
  const source = sourceIn(from);
  const isSensitive = from.boolean();
  const synonyms = from.array(() => ({ name: from.string() ?? "", value: from.string(), source: sourceIn(from) }));
  return { name, value, isReadOnly, source, isSensitive, isDefault: source === "DEFAULT_CONFIG", synonyms };
}

function sourceIn(from: Reader): string {
  return SOURCES[from.int8()] ?? "UNKNOWN";
}

type Changes = { topic: string; set: Record<string, string | null>; unset: string[]; isTrial: boolean };

/** Changes these configurations and leaves all others (KIP-339). */
export function alterConfigsRequest({ topic, set, unset, isTrial }: Changes): Request<Judgement | undefined> {
  const changes: [string, number, string | null][] = [
    ...Object.entries(set).map(([name, value]): [string, number, string | null] => [name, SET, value]),
    ...unset.map((name): [string, number, string | null] => [name, DELETE, null]),
  ];
  return request({
    api: 44,
    version: 0,
    write(to) {
      to.array([topic], (name) => {
        to.int8(TOPIC);
        to.string(name);
        to.array(changes, ([config, operation, value]) => {
          to.string(config);
          to.int8(operation);
          to.string(value);
        });
      });
      to.boolean(isTrial);
    },
    read(from) {
      from.int32();
      return from.array(() => judgementIn(from))[0];
    },
  });
}
