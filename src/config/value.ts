/** What a file says a property is. A number keeps its digits: a JavaScript number has too few of them. */
export type Scalar = string | boolean | { number: string } | { binary: string };

/** `origin` is where in its file the value stands, `line:column`, both from 1. */
export type Property = { value: Scalar; origin: string };

/** Flattened: `list[0].name` → value, in the file's order. */
export type Properties = ReadonlyMap<string, Property>;

export function textOf(value: Scalar): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  return "number" in value ? value.number : value.binary;
}

/** As Java writes a double (`Double.toString`): what Spring clients compare with. */
export function doubleText(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  if (value === 0) return `${sign}0.0`;
  const [mantissa = "", power = "0"] = Math.abs(value).toExponential().split("e");
  const digits = mantissa.replace(".", "");
  const exponent = Number(power);
  if (exponent < -3 || exponent >= 7) return `${sign}${digits[0]}.${digits.slice(1) || "0"}E${exponent}`;
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  return `${sign}${whole}.${digits.slice(exponent + 1) || "0"}`;
}
