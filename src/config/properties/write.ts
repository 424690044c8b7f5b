import { textOf } from "../value.ts";
import type { Leaf } from "../leaf.ts";

/** `name: value` lines, which `java.util.Properties` reads back as they were. */
export function writeProperties(properties: ReadonlyMap<string, Leaf>): string {
  return [...properties].map(([name, value]) => `${escapeName(name)}: ${escapeValue(leafText(value))}`).join("\n");
}

function leafText(value: Leaf): string {
  return typeof value === "object" && "substituted" in value ? value.substituted : textOf(value);
}

function escapeName(name: string): string {
  return escapeBreaks(name.replaceAll("\\", "\\\\").replaceAll(/[ \t:=]|^[#!]/g, String.raw`\$&`));
}

/** A line end in a value would make the rest of it a property of its own. */
function escapeValue(value: string): string {
  return escapeBreaks(value.replaceAll("\\", "\\\\").replace(/^[ \t\f]/, String.raw`\$&`));
}

function escapeBreaks(text: string): string {
  return text.replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\f", "\\f");
}
