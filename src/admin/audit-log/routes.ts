import { answer, route } from "../../http/route.ts";
import * as schema from "./schema.ts";

const access = { permission: "audit-read" };
const tags = ["Audit log"];

export const listAuditEntries = route({
  access,
  method: "get",
  path: "/api/admin/audit",
  operationId: "listAuditEntries",
  summary: "Who did what, the newest first",
  description:
    "Every call of this interface, every sign-in and refused sign-in of a user there is, every lock and unlock. A call is here some seconds after it ended: by way of the broker.",
  tags,
  request: { query: schema.Listing },
  responses: { 200: answer("The entries that fit", schema.AuditEntries, { example: { entries: [schema.exampleEntry], next: null } }) },
});

export const verifyAuditLog = route({
  access,
  method: "get",
  path: "/api/admin/audit/verify",
  operationId: "verifyAuditLog",
  summary: "Whether the log is as it was written",
  description:
    "Recomputes the chain of hashes from its beginning, or after an entry whose hash was noted, to the head there is now. A long log takes several calls. " +
    "What was altered, deleted or reordered is found; a log that was rewritten as a whole, head and all, only by a hash that was noted elsewhere.",
  tags,
  request: { query: schema.Verification },
  responses: {
    200: answer("What was found", schema.Verdict, {
      examples: {
        whole: { summary: "Everything is as it was written", value: schema.exampleVerdict },
        broken: { summary: "An entry was altered", value: schema.exampleBroken },
        unfinished: { summary: "There is more to look at", value: schema.exampleUnfinished },
      },
    }),
  },
});
