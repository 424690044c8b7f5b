import { readFileSync } from "node:fs";

/** The instructions of a container file, with their lines joined. */
export function instructionsOf(name: string): { keyword: string; rest: string }[] {
  const text = readFileSync(new URL(`../../containers/${name}.Containerfile`, import.meta.url), "utf8");
  const lines = text.replaceAll(/^#.*\n/gm, "").replaceAll("\\\n", " ").split("\n").filter(Boolean);
  return lines.map((line) => ({ keyword: line.split(" ", 1)[0]!, rest: line.slice(line.indexOf(" ") + 1).trim() }));
}

/** The words of the last instruction of this kind, such as `CMD ["node", "workers/node.ts"]`. */
export function wordsOf(name: string, keyword: "CMD" | "HEALTHCHECK"): string[] {
  const { rest } = instructionsOf(name).findLast((instruction) => instruction.keyword === keyword)!;
  return JSON.parse(rest.slice(rest.indexOf("["))) as string[];
}
