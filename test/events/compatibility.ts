import type { JsonSchema } from "../../src/events/asyncapi.ts";

/** What readers of an event type rely on. */
export type Contract = { topic: string; source: string; dataschema: string; data: JsonSchema };

export type Contracts = Record<string, Contract>;

/** Words for people: a change of them breaks nobody. */
const WORDS = new Set(["description", "title", "examples", "$comment"]);

/** What in `now` would break a reader who relies on `before`, each in a sentence; additions do not. */
export function breaks(before: Contracts, now: Contracts): string[] {
  return Object.entries(before).flatMap(([type, contract]) => {
    const current = now[type];
    if (!current) return [`${type} is gone`];
    const attributes = (["topic", "source", "dataschema"] as const).filter((name) => contract[name] !== current[name]);
    return [...attributes.map((name) => `${type}: its ${name} is another`), ...schemaBreaks(contract.data, current.data, `${type} data`)];
  });
}

function schemaBreaks(before: JsonSchema, now: JsonSchema, at: string): string[] {
  const { properties = {}, required = [], enum: words = [], ...rest } = before;
  const { properties: current = {}, required: still = [], enum: known = [], ...others } = now;
  const keywords = [...new Set([...Object.keys(rest), ...Object.keys(others)])].filter((keyword) => !WORDS.has(keyword));
  return [
    ...Object.entries(properties).flatMap(([name, schema]) => (current[name] ? schemaBreaks(schema, current[name], `${at}.${name}`) : [`${at}.${name} is gone`])),
    ...required.filter((name) => current[name] && !still.includes(name)).map((name) => `${at}.${name} may be missing`),
    ...(words as unknown[]).filter((word) => !(known as unknown[]).includes(word)).map((word) => `${at} is never ${JSON.stringify(word)}`),
    ...(words !== undefined && (words as unknown[]).length === 0 && (known as unknown[]).length > 0 ? [`${at} has another enum`] : []),
    ...keywords.filter((keyword) => textOf(rest[keyword]) !== textOf(others[keyword])).map((keyword) => `${at} has another ${keyword}`),
  ];
}

/** Without what is said for people, however deep. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (key, inner: unknown) => (WORDS.has(key) ? undefined : inner)) ?? "nothing";
}
