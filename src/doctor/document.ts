import type { Finding, Status } from "./finding.ts";

/**
 * What `--json` prints: one document, in which fields are added and none is taken away. `status` is the worst there is;
 * `findings` stand in the order of the systems, and `check` and `code` of each are stable, its texts are not.
 */
export type DoctorDocument = {
  version: 1;
  status: "ok" | "warning" | "error";
  /** ISO 8601, UTC. */
  at: string;
  counts: Record<Status, number>;
  findings: Finding[];
};

export function documentOf(findings: Finding[], now: number): DoctorDocument {
  const count = (status: Status) => findings.filter((finding) => finding.status === status).length;
  const counts = { ok: count("ok"), warning: count("warning"), error: count("error"), "not-checked": count("not-checked") };
  const status = counts.error > 0 ? "error" : counts.warning > 0 ? "warning" : "ok";
  return { version: 1, status, at: new Date(now).toISOString(), counts, findings };
}
