import type { Fetch } from "../../src/http/fetch.ts";

/** An answer as a real server gave it. */
export type Recorded = { status: number; body: string; headers?: Record<string, string> };

export type Sent = { line: string; headers: Headers; text: string };

/** For each `METHOD path` its answers in order, the last one again and again; a function answers by what was sent. */
export type Script = Record<string, Recorded | Recorded[] | ((sent: Sent) => Recorded)>;

const NOW = 1_795_222_873_000;

/** When scripted servers were asked, and the call they were asked in. */
export const now = () => NOW;
export const call = { requestId: "request-0001", traceId: "a".repeat(32), traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01`, deadline: NOW + 8000 };

/** A server that answers by `script`, and 418 to all else. */
export function scripted(script: Script): { fetch: Fetch; journal: Sent[]; lines: () => string[] } {
  const journal: Sent[] = [];
  const rest = new Map(Object.entries(script).map(([line, answers]) => [line, Array.isArray(answers) ? [...answers] : answers]));
  const fetch: Fetch = async (request) => {
    const { pathname, search } = new URL(request.url);
    const sent = { line: `${request.method} ${pathname}${search}`, headers: request.headers, text: await request.text() };
    journal.push(sent);
    const { status, body, headers } = answerOf(rest.get(sent.line), sent) ?? { status: 418, body: "" };
    return new Response(body || null, { status, headers: { "content-type": "application/json", ...headers } });
  };
  return { fetch, journal, lines: () => journal.map(({ line }) => line) };
}

function answerOf(answers: Script[string] | undefined, sent: Sent): Recorded | undefined {
  if (typeof answers === "function") return answers(sent);
  if (!Array.isArray(answers)) return answers;
  return answers.length > 1 ? answers.shift() : answers[0];
}
