/** A value that is no list and no object, or a name. */
const ATOM = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/uy;
const SPACE = /[ \t\r\n]*/y;

/** Where a text that is not JSON stops being the beginning of one; the engines' own messages do not all say it. */
export function jsonFaultAt(text: string): number {
  const open: string[] = [];
  let wants: "value" | "name" | "colon" | "next" = "value";
  let mayClose = false;
  let at = 0;
  for (;;) {
    at = after(SPACE, { text, at }) ?? at;
    const char = text[at] ?? "";
    const inner = open.at(-1);
    if (wants === "value" && (char === "{" || char === "[")) {
      open.push(char);
      wants = char === "{" ? "name" : "value";
      mayClose = true;
    } else if ((wants === "next" || mayClose) && ((char === "}" && inner === "{") || (char === "]" && inner === "["))) {
      open.pop();
      [wants, mayClose] = ["next", false];
    } else if (wants === "next" && char === "," && inner !== undefined) {
      wants = inner === "{" ? "name" : "value";
    } else if (wants === "colon" && char === ":") {
      wants = "value";
    } else {
      const end: number | undefined = wants === "value" || (wants === "name" && char === '"') ? after(ATOM, { text, at }) : undefined;
      if (end === undefined) return at;
      [wants, mayClose, at] = [wants === "name" ? "colon" : "next", false, end];
      continue;
    }
    at += 1;
  }
}

function after(pattern: RegExp, { text, at }: { text: string; at: number }): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
