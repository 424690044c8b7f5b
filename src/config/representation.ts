import type { Environment } from "./environment.ts";
import { writeJson } from "./json.ts";
import type { Tree } from "./leaf.ts";
import type { Asked } from "./names.ts";
import type { Property } from "./value.ts";

export const VERSION_1 = "application/json";
export const VERSION_2 = "application/vnd.spring-cloud.config-server.v2+json";

/** The environment as a client of Spring Cloud Config reads it; only version 2 says where a value stands. */
export function environmentBody({ version, sources }: Environment, { asked, type }: { asked: Asked; type: string }): string {
  const valueOf = ({ value, origin }: Property): Tree => (type === VERSION_2 ? new Map<string, Tree>([["value", value], ["origin", origin]]) : value);
  const propertySources = sources.map(({ name, properties }): Tree => {
    const source = new Map([...properties].map(([key, property]) => [key, valueOf(property)]));
    return new Map<string, Tree>([["name", name], ["source", source]]);
  });
  const body: [string, Tree][] = [
    ["name", asked.application],
    // One text for several, as the original has it.
    ["profiles", [asked.profiles]],
    ["label", asked.label ?? null],
    ["version", version ?? null],
    ["state", version === undefined ? null : ""],
    ["propertySources", propertySources],
  ];
  return writeJson(new Map(body));
}
