import type { Call } from "../http/call.ts";
import { upstreamProblem } from "../http/upstream.ts";
import { isDone, isNothing, keysIn, STORE } from "./answer.ts";
import { segment } from "./name.ts";
import type { Session } from "./session.ts";

const POLICIES = "/sys/policies/acl";

export function policies(send: Session) {
  async function listPolicies(call: Call): Promise<string[]> {
    const answer = await send(call, { method: "GET", path: POLICIES, query: { list: "true" } });
    if (isNothing(answer)) return [];
    if (!isDone(answer)) throw upstreamProblem(STORE, answer);
    return keysIn(answer);
  }

  async function writePolicy(call: Call, { name, hcl }: { name: string; hcl: string }): Promise<void> {
    const answer = await send(call, { method: "PUT", path: `${POLICIES}${segment(name)}`, json: { policy: hcl } });
    if (!isDone(answer)) throw upstreamProblem(STORE, answer);
  }

  async function deletePolicy(call: Call, name: string): Promise<void> {
    const answer = await send(call, { method: "DELETE", path: `${POLICIES}${segment(name)}` });
    if (!isDone(answer)) throw upstreamProblem(STORE, answer);
  }

  return { listPolicies, writePolicy, deletePolicy };
}
