import type { Tree } from "./leaf.ts";

/** `tree` as JSON, each number with the digits it came with. */
export function writeJson(tree: Tree): string {
  if (tree instanceof Map) return `{${[...tree].map(([name, value]) => `${JSON.stringify(name)}:${writeJson(value)}`).join(",")}}`;
  if (Array.isArray(tree)) return `[${tree.map(writeJson).join(",")}]`;
  if (tree === null || typeof tree !== "object") return JSON.stringify(tree);
  if ("substituted" in tree) return JSON.stringify(tree.substituted);
  if ("binary" in tree) return JSON.stringify(tree.binary);
  // JSON has no infinity and no NaN.
  return /[IN]/.test(tree.number) ? JSON.stringify(tree.number) : tree.number;
}
