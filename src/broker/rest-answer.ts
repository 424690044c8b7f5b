import * as z from "zod";
import { Problem } from "../http/problem.ts";
import { jsonOf, type Outcome, upstreamProblem } from "../http/upstream.ts";

export const BROKER = "broker";

export const ClustersSchema = z.object({ data: z.array(z.object({ cluster_id: z.string().min(1) })).min(1) });
export const TopicSchema = z.object({
  topic_name: z.string(),
  is_internal: z.boolean(),
  partitions_count: z.int().nonnegative(),
  replication_factor: z.int(),
  authorized_operations: z.array(z.string()).optional(),
});
export const TopicsSchema = z.object({ data: z.array(TopicSchema) });

const ErrorSchema = z.object({ error_code: z.int(), message: z.string().nullish() });

/** What of the REST interface's TopicData is of use to us. */
export type TopicData = z.infer<typeof TopicSchema>;

/** The interface's own error in `outcome`; what a proxy in front of it says has none. */
export function errorOf(outcome: Outcome): { code: number; message: string } | undefined {
  const error = outcome.kind === "answer" && outcome.status >= 400 ? ErrorSchema.safeParse(jsonOf(outcome.text)).data : undefined;
  return error && { code: error.error_code, message: error.message ?? "" };
}

/** The Problem that an answer nobody has a use for is. */
export function brokerProblem(outcome: Outcome): Problem {
  const status = outcome.kind === "answer" ? outcome.status : 0;
  if (status !== 401 && status !== 403) return upstreamProblem(BROKER, outcome);
  const cause = new Error(`The ${BROKER} answered ${status} ${errorOf(outcome)?.code ?? ""}`.trim());
  return new Problem("UPSTREAM_BAD_ANSWER_502", `The ${BROKER} does not accept this service`, { cause });
}

/** Whether what was asked may have been done, or may yet be: no answer, or that of a broker which waited in vain itself. */
export function mayHaveHappened(outcome: Outcome): boolean {
  return outcome.kind === "lost" || outcome.status >= 500;
}
