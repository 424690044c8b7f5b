import { jsonOf } from "../../http/upstream.ts";

/** A leaf of the health an instance tells of itself; that of a composite is named `parent / leaf`. */
export type Component = { name: string; status: string; error?: string };

export type Health = { status: string; components: Component[]; /** Components beyond those listed. */ more: number };

const MAX_COMPONENTS = 30;
const MAX_DEPTH = 4;
const MAX_TEXT = 200;

/** The health in `text` (Actuator's JSON, of any version and with any words); undefined where there is none. */
export function readHealth(text: string): Health | undefined {
  const health = asObject(jsonOf(text));
  const status = health && asText(health["status"]);
  if (!health || status === undefined) return undefined;
  const components = leaves(health, { prefix: "", depth: 0 });
  return { status, components: components.slice(0, MAX_COMPONENTS), more: Math.max(0, components.length - MAX_COMPONENTS) };
}

function leaves(composite: Record<string, unknown>, { prefix, depth }: { prefix: string; depth: number }): Component[] {
  return Object.entries(asObject(composite["components"]) ?? {}).flatMap(([key, value]) => {
    const component = asObject(value);
    const status = component && asText(component["status"]);
    if (!component || status === undefined) return [];
    const name = `${prefix}${key.slice(0, MAX_TEXT)}`;
    if (depth < MAX_DEPTH && asObject(component["components"])) {
      const below = leaves(component, { prefix: `${name} / `, depth: depth + 1 });
      if (below.length > 0) return below;
    }
    const error = asText(asObject(component["details"])?.["error"]);
    return [{ name, status, ...(error !== undefined && { error }) }];
  });
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value.slice(0, MAX_TEXT) : undefined;
}
