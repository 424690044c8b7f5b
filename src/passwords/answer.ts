import { hashPassword, verifyPassword } from "./password.ts";
import type { Cost } from "./derive.ts";

/** As dear as a password. Workers refuse more than 100,000 iterations in one call, so six are chained. */
export const ANSWER_COST: Cost = { iterations: 100_000, rounds: 6 };

/** The hash of an answer to a security question, whatever its case and spacing. */
export function hashAnswer(answer: string, cost: Cost = ANSWER_COST): Promise<string> {
  return hashPassword(canonical(answer), cost);
}

export function verifyAnswer(answer: string, stored: string): Promise<boolean> {
  return verifyPassword(canonical(answer), stored);
}

/** People remember the answer, not how they once typed it. */
function canonical(answer: string): string {
  return answer.normalize("NFKC").trim().replace(/\s+/gu, " ").toLowerCase();
}
