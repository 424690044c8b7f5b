import type { Context, MiddlewareHandler } from "hono";
import type { Call } from "../http/call.ts";
import { describe, type Log } from "../http/log.ts";
import { problemIn } from "../http/problem.ts";
import type { Route } from "../http/route.ts";
import type { ShellEnv } from "../http/shell.ts";
import type { Audited, AuditStore, Ending } from "./audit-store.ts";

export type AuditNeeds = { audits: AuditStore; log: Log; now: () => number; newId: () => string };

export type Audit = ReturnType<typeof audit>;

/** Longer than any request lasts. */
const LEASE_MS = 30_000;

/** What is known of a call under way. */
type Entry = { id: string; resource: string | null; isBegun: boolean };

/**
 * The audit of every call whose caller is known. The event of a change is written before it is made, so that a change that
 * cannot be told of is none, and not even a crash keeps one quiet; what is only read is not given away before its event is written.
 */
export function audit({ audits, log, now, newId }: AuditNeeds) {
  const entries = new WeakMap<Call, Entry>();

  function auditedIn(c: Context<ShellEnv>, route: Route): Audited {
    const call = c.get("call");
    const { sub, client } = c.get("caller");
    return { caller: sub, client, operation: route.operationId ?? route.path, resource: entries.get(call)?.resource ?? null, requestId: call.requestId };
  }

  return {
    /** Writes the event at the end of each call. */
    around: (route: Route): MiddlewareHandler<ShellEnv> => async (c, next) => {
      const call = c.get("call");
      const entry: Entry = { id: newId(), resource: null, isBegun: false };
      entries.set(call, entry);
      await next();
      if (!c.get("caller")) return;
      const event = { audited: auditedIn(c, route), ending: endingOf(c.error), traceparent: call.traceparent };
      const end = () => audits.end(entry.id, { ...event, now: now() });
      await end()
        .catch(end)
        .catch((error: unknown) => {
          // A change that was made is answered: its event is there, and tells that the outcome is unknown.
          if (!entry.isBegun && !c.error) throw error;
          log({ level: "warn", service: "admin-service", message: "Cannot write an audit event", requestId: call.requestId, error: describe(error) });
        });
    },

    /** To be called once it is known what a call is about, before a change is made. */
    async begin(c: Context<ShellEnv>, { route, resource, isChange }: { route: Route; resource: string; isChange: boolean }): Promise<void> {
      const call = c.get("call");
      const entry = entries.get(call);
      if (!entry) throw new TypeError("Cannot audit a call that no route was mounted for");
      entry.resource = resource;
      if (!isChange) return;
      await audits.begin(entry.id, { audited: auditedIn(c, route), now: now(), traceparent: call.traceparent, due: now() + LEASE_MS });
      entry.isBegun = true;
    },
  };
}

function endingOf(error: Error | undefined): Ending {
  if (!error) return { outcome: "succeeded", code: null };
  const problem = problemIn(error);
  return { outcome: problem && problem.status < 500 ? "refused" : "failed", code: problem?.code ?? "INTERNAL_ERROR_500" };
}
