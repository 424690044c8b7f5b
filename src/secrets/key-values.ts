import * as z from "zod";
import type { Call } from "../http/call.ts";
import { type Answer, jsonOf, shaped, upstreamProblem } from "../http/upstream.ts";
import { errorsOf, isDone, isNothing, STORE } from "./answer.ts";
import { segments } from "./name.ts";
import type { Session } from "./session.ts";

export type Secrets = { data: Record<string, unknown>; version: number };

const DocumentSchema = z.object({
  // A put of `data: null`, which both servers take, blanks the document.
  data: z.object({ data: z.record(z.string(), z.unknown()).nullable(), metadata: z.object({ version: z.number() }) }),
});

const CONFLICT = "check-and-set parameter did not match the current version";

/** The KV version 2 engine at `secret`; a path is what comes below it, such as `platform/billing/dev`. */
export function keyValues(send: Session) {
  /** The newest version; undefined when there is none, or it is deleted or destroyed. */
  async function readSecrets(call: Call, below: string): Promise<Secrets | undefined> {
    const answer = await send(call, { method: "GET", path: `/secret/data${segments(below)}` });
    if (isNothing(answer)) return undefined;
    if (answer.status !== 200) throw upstreamProblem(STORE, answer);
    const { data, metadata } = shaped(STORE, answer, DocumentSchema).data;
    return data ? { data, version: metadata.version } : undefined;
  }

  /** The `cas` of the next put: 0 only when nothing was ever written, for a deleted version still counts. */
  async function currentVersion(call: Call, below: string): Promise<number> {
    const answer = await send(call, { method: "GET", path: `/secret/data${segments(below)}` });
    if (answer.status !== 200 && !isNothing(answer)) throw upstreamProblem(STORE, answer);
    const found = DocumentSchema.safeParse(jsonOf(answer.text)).data;
    return found?.data.metadata.version ?? 0;
  }

  /** Puts a whole new version, unless the current one is not `cas`. */
  async function writeSecrets(call: Call, below: string, { data, cas }: { data: Record<string, unknown>; cas: number }): Promise<"written" | "conflict"> {
    const answer = await send(call, { method: "POST", path: `/secret/data${segments(below)}`, json: { data, options: { cas } } });
    if (isDone(answer)) return "written";
    if (answer.status === 400 && errorsOf(answer).includes(CONFLICT)) return "conflict";
    throw upstreamProblem(STORE, answer);
  }

  /** Merges `data` into the newest version, atomically (RFC 7396): other keys stay, a key whose value is null goes. */
  async function patchSecrets(call: Call, below: string, data: Record<string, unknown>): Promise<"patched" | "missing"> {
    const headers = { "content-type": "application/merge-patch+json" };
    const answer = await send(call, { method: "PATCH", path: `/secret/data${segments(below)}`, headers, json: { data } });
    if (isDone(answer)) return "patched";
    if (isNothing(answer) || (answer.status === 404 && answer.text === "") || isBlank(answer)) return "missing";
    throw upstreamProblem(STORE, answer);
  }

  /** Removes the path with all its versions. */
  async function deleteSecrets(call: Call, below: string): Promise<void> {
    const answer = await send(call, { method: "DELETE", path: `/secret/metadata${segments(below)}` });
    if (!isDone(answer)) throw upstreamProblem(STORE, answer);
  }

  return { readSecrets, currentVersion, writeSecrets, patchSecrets, deleteSecrets };
}

/** How both servers answer a patch of a document that a put of `data: null` has blanked. */
function isBlank(answer: Answer): boolean {
  return answer.status === 500 && errorsOf(answer).some((error) => error.includes("resource does not exist"));
}
