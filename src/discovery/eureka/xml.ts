import { XMLBuilder, XMLParser } from "fast-xml-parser";
import { elementName, encodedFirst, keyNamed } from "./xml-names.ts";

/** An element: the text it holds, or those inside it. */
type Element = { name: string; attributes: Record<string, string>; text: string; children: Element[] };

/** As the parser gives it: one key for the name, with what is inside, and `:@` for the attributes. */
type Node = Record<string, unknown>;

const MAX_DEPTH = 8;
const ENTITIES: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: "",
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  // Decoded below: only the five that XML itself has, and characters by number.
  processEntities: false,
  cdataPropName: "#cdata",
  maxNestedTags: MAX_DEPTH,
  // Names of JavaScript's own objects, as `keyNamed` reads them.
  onDangerousProperty: encodedFirst,
});

const builder = new XMLBuilder({ ignoreAttributes: false, attributeNamePrefix: "@", textNodeName: "$", suppressEmptyNode: true, suppressBooleanAttributes: false });

/** The instance in an XML document, as the JSON of the same registration has it; undefined for what is no such document. */
export function instanceInXml(document: string): Record<string, unknown> | undefined {
  // A document type may define entities, which grow without bound or reach into files.
  if (/<!DOCTYPE/i.test(document)) return undefined;
  try {
    const roots = elementsIn(parser.parse(document, true));
    const [root] = roots;
    return roots.length === 1 && root?.name === "instance" ? instanceOf(root) : undefined;
  } catch {
    return undefined;
  }
}

/** `value`, in the form of its JSON, as an XML document: a key that begins with `@` is an attribute, `$` the text. */
export function xmlOf(value: object): string {
  return builder.build(value);
}

/** `metadata` with keys that may name elements. */
export function xmlMetadata(metadata: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata).map(([key, value]) => [elementName(key), value]));
}

function instanceOf({ children }: Element): Record<string, unknown> {
  return { instance: Object.fromEntries(children.map((child) => [child.name, fieldOf(child)])) };
}

function fieldOf({ name, attributes, text, children }: Element): unknown {
  if (name === "port" || name === "securePort") return { $: text.trim(), ...("enabled" in attributes && { "@enabled": attributes["enabled"] }) };
  if (name === "metadata") return metadataOf(children);
  if (name === "leaseInfo") return Object.fromEntries(children.map((child) => [child.name, child.text.trim()]));
  if (name === "dataCenterInfo") {
    const fields = children.map((child) => [child.name, child.name === "metadata" ? metadataOf(child.children) : child.text.trim()]);
    return { "@class": attributes["class"], ...Object.fromEntries(fields) };
  }
  return text.trim();
}

function metadataOf(children: Element[]): Record<string, string> {
  return Object.fromEntries(children.map(({ name, text }) => [keyNamed(name), text]));
}

function elementsIn(nodes: Node[]): Element[] {
  return nodes.flatMap((node) => {
    const name = Object.keys(node).find((key) => key !== ":@");
    if (name === undefined || /^[#?]/.test(name)) return [];
    const inside = node[name] as Node[];
    const attributes = Object.entries((node[":@"] ?? {}) as Record<string, string>).map(([key, value]) => [key, decoded(value)]);
    return [{ name, attributes: Object.fromEntries(attributes), text: textIn(inside), children: elementsIn(inside) }];
  });
}

function textIn(nodes: Node[]): string {
  return nodes
    .map((node) => {
      if ("#cdata" in node) return (node["#cdata"] as Node[]).map((part) => String(part["#text"])).join("");
      return "#text" in node ? decoded(String(node["#text"])) : "";
    })
    .join("");
}

/** Throws on an entity that is not one of XML's own. */
function decoded(value: string): string {
  return value.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,8}));|&/gi, (found, decimal?: string, hexadecimal?: string, name?: string) => {
    const code = decimal ?? hexadecimal;
    if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, hexadecimal === undefined ? 10 : 16));
    const character = name !== undefined && Object.hasOwn(ENTITIES, name) ? ENTITIES[name] : undefined;
    if (character === undefined) throw new SyntaxError(`Cannot read "${found}": it is no entity of XML`);
    return character;
  });
}
