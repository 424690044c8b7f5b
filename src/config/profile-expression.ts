import { BrokenFile } from "./broken-file.ts";

export type ProfileTest = (profiles: ReadonlySet<string>) => boolean;

const TOKEN = /\s*([()&|!]|[^()&|!\s]+)/gy;
const MAX_LENGTH = 1000;

/** What `spring.config.activate.on-profile` says: `dev`, `!dev`, `(a & b) | c`. Like Spring, it takes no `&` beside `|` without parentheses. */
export function profileExpression(text: string): ProfileTest {
  const tokens = text.length > MAX_LENGTH ? [] : [...text.trim().matchAll(TOKEN)].map(([, token = ""]) => token);
  const rest = tokens.values();
  const test = tokens.length === 0 ? undefined : operand(rest, 0);
  if (!test) throw new BrokenFile(`"${text.slice(0, 80)}" is no profile expression`);
  return test;
}

/** Everything up to the end, or to the parenthesis that closes what was opened; undefined for what is none. */
function operand(rest: IterableIterator<string>, depth: number): ProfileTest | undefined {
  const tests: ProfileTest[] = [];
  let operator: string | undefined;
  for (let isFirst = true; ; isFirst = false) {
    const test = single(rest, depth);
    if (!test) return undefined;
    tests.push(test);
    const { value: next, done = false } = rest.next();
    const isEnd = done || next === ")";
    if (isEnd) {
      if (done !== (depth === 0)) return undefined;
      return operator === "|" ? (profiles) => tests.some((one) => one(profiles)) : (profiles) => tests.every((one) => one(profiles));
    }
    if ((next !== "&" && next !== "|") || (!isFirst && next !== operator)) return undefined;
    operator = next;
  }
}

function single(rest: IterableIterator<string>, depth: number): ProfileTest | undefined {
  const { value: token, done } = rest.next();
  if (done || token === ")" || token === "&" || token === "|") return undefined;
  if (token === "(") return operand(rest, depth + 1);
  if (token !== "!") return (profiles) => profiles.has(token);
  const negated = single(rest, depth);
  return negated && ((profiles) => !negated(profiles));
}
