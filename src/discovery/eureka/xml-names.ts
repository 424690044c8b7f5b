/**
 * Keys of metadata as names of elements, the way XStream writes and reads them: `_` is doubled, `$` is `_-`, and what
 * no name may hold is `_.` and four hexadecimal digits.
 */
export function elementName(key: string): string {
  // Parsers in JavaScript stumble over the names of its own objects, and with them over the whole list.
  if (key in Object.prototype || key === "prototype") return encodedFirst(key);
  return key.replace(/[^A-Za-z0-9.-]|^[0-9.-]/g, (unit) => {
    if (unit === "_") return "__";
    return unit === "$" ? "_-" : encodedUnit(unit);
  });
}

/** `name` with its first character by number: `keyNamed` gives it back. */
export function encodedFirst(name: string): string {
  return encodedUnit(name[0]!) + name.slice(1).replaceAll("_", "__");
}

function encodedUnit(unit: string): string {
  return `_.${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

export function keyNamed(name: string): string {
  return name.replace(/__|_-|_\.([0-9a-f]{4})/gi, (found, digits: string | undefined) => {
    if (found === "__") return "_";
    return found === "_-" ? "$" : String.fromCharCode(Number.parseInt(digits!, 16));
  });
}
