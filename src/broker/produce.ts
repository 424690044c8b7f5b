import * as z from "zod";
import type { Call } from "../http/call.ts";
import { type Exchange, jsonOf, type Outcome } from "../http/upstream.ts";
import { toBase64 } from "../passwords/base64.ts";
import { errorOf } from "./rest-answer.ts";

/** One record: text for all of it but the value, which is JSON. */
export type NewRecord = { key: string; headers: [name: string, value: string][]; value: unknown };

/**
 * What became of one record. `kept`: by the broker. `refused`: the record's own fault, and nothing kept of it. `held`: not
 * kept, for a reason that is not the record's, such as a topic that is not there. `unknown`: it may be kept, or may yet be.
 */
export type Delivery = { outcome: "kept" | "refused" | "held" | "unknown"; code: string | null };

export type Producing = {
  send: (call: Call, exchange: Exchange) => Promise<Outcome>;
  /** Path of the topic's records. */
  path: string;
};

const ReportSchema = z.object({ error_code: z.int() });

/**
 * Sends `records` in their order, in one request of concatenated JSON, and answers what became of each. This form and not
 * `records:batch`, which takes no more than ten. What is too large together is sent in halves.
 */
export async function produce({ send, path }: Producing, call: Call, records: readonly NewRecord[]): Promise<Delivery[]> {
  const outcome = await send(call, { method: "POST", path, text: records.map(bodyOf).join("\n") });
  if (outcome.kind === "lost") return records.map(() => ({ outcome: "unknown", code: outcome.reason }));
  if (outcome.status === 200) {
    const reports = textsIn(outcome.text).map((text) => ReportSchema.safeParse(jsonOf(text)).data);
    return records.map((_, index) => deliveryOf(reports[index]?.error_code));
  }
  const whole = deliveryOf(errorOf(outcome)?.code ?? outcome.status);
  if (whole.outcome !== "refused" || records.length === 1) return records.map(() => whole);
  const half = Math.ceil(records.length / 2);
  const first = await produce({ send, path }, call, records.slice(0, half));
  return [...first, ...(await produce({ send, path }, call, records.slice(half)))];
}

/** By the code of a report, whose first three digits are an HTTP status; a record without a report may be kept. */
function deliveryOf(code: number | undefined): Delivery {
  if (code === 200) return { outcome: "kept", code: null };
  const status = String(code ?? "").slice(0, 3);
  const isOfOthers = ["401", "403", "404", "408", "429"].includes(status);
  const outcome = isOfOthers ? "held" : /^4\d\d$/.test(status) ? "refused" : "unknown";
  return { outcome, code: code === undefined ? "no-report" : String(code) };
}

function bodyOf({ key, headers, value }: NewRecord): string {
  return JSON.stringify({
    key: { type: "STRING", data: key },
    headers: headers.map(([name, text]) => ({ name, value: toBase64(new TextEncoder().encode(text)) })),
    value: { type: "JSON", data: value },
  });
}

/** The JSON objects in `text`, which has them after each other, with or without anything between; of a torn one, nothing. */
function textsIn(text: string): string[] {
  const texts: string[] = [];
  let depth = 0;
  let begin = 0;
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (token === "{" && depth++ === 0) begin = index;
    if (token === "}" && depth > 0 && --depth === 0) texts.push(text.slice(begin, index + 1));
  }
  return texts;
}
