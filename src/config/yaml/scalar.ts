import { doubleText, type Scalar } from "../value.ts";

/** What an untagged plain scalar is by YAML 1.1, as SnakeYAML reads it in Spring Boot: dates stay text, `y` and `n` too. */
export function plainScalar(text: string): Scalar | null {
  if (NULL.test(text)) return null;
  if (BOOLEAN.test(text)) return TRUE.test(text);
  if (INTEGER.test(text)) return text.length > MAX_INTEGER_LENGTH ? text : { number: integer(text.replaceAll("_", "")) };
  if (FLOAT.test(text)) return { number: doubleText(float(text.replaceAll("_", "").toLowerCase())) };
  return text;
}

/** The value of a scalar with a tag of YAML's own; undefined when it is not of that kind. */
export function taggedScalar(tag: string, text: string): Scalar | null | undefined {
  const value = plainScalar(text);
  const isNumber = value !== null && typeof value === "object";
  if (tag === "str" || tag === "timestamp") return text;
  if (tag === "null") return null;
  if (tag === "bool") return typeof value === "boolean" ? value : undefined;
  if (tag === "int") return INTEGER.test(text) ? value : undefined;
  if (tag === "float") return isNumber ? value : undefined;
  const bytes = text.replaceAll(/\s/g, "");
  return tag === "binary" && BASE64.test(bytes) ? { binary: bytes } : undefined;
}

/** Whether `text`, written plain, is read back as itself, here and by SnakeYAML. */
export function readsAsText(text: string): boolean {
  return plainScalar(text) === text && !INTEGER.test(text) && !TIMESTAMP.test(text) && text !== "<<" && text !== "=";
}

/** Characters; the time to read one grows with the square of them, and a longer one stays text. */
const MAX_INTEGER_LENGTH = 400;

const NULL = /^(?:~|null|Null|NULL| |)$/;
const BOOLEAN = /^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/;
const TRUE = /^(?:yes|true|on)$/i;
const INTEGER = /^(?:[-+]?0b[01_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)$/;
const FLOAT =
  /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+]?[0-9]+)?|[-+]?[0-9][0-9_]*[eE][-+]?[0-9]+|\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const TIMESTAMP =
  /^(?:\d{4}-\d\d-\d\d|\d{4}-\d{1,2}-\d{1,2}(?:[Tt]|[ \t]+)\d{1,2}:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d{1,2}(?::?\d\d)?))?)$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function integer(text: string): string {
  const isNegative = text.startsWith("-");
  const digits = text.replace(/^[-+]/, "");
  const value = digits.includes(":") ? sexagesimal(digits) : BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : prefixed(digits));
  return String(isNegative ? -value : value);
}

/** `0x_` has no digits left: SnakeYAML fails on it, and so it is nothing here. */
function prefixed(digits: string): string {
  return digits === "0x" || digits === "0b" || digits === "" ? "0" : digits;
}

function sexagesimal(digits: string): bigint {
  return digits.split(":").reduce((sum, part) => sum * 60n + BigInt(part), 0n);
}

function float(text: string): number {
  const sign = text.startsWith("-") ? -1 : 1;
  const digits = text.replace(/^[-+]/, "");
  if (digits === ".inf") return sign * Number.POSITIVE_INFINITY;
  if (digits === ".nan") return Number.NaN;
  return sign * digits.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
}
