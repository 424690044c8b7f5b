import * as z from "zod";
import { type Answer, jsonOf, type Outcome } from "../../http/upstream.ts";
import type { Finding } from "../finding.ts";
import type { OwnClient } from "./client.ts";
import { found } from "./found.ts";

const RefusalSchema = z.object({ error: z.string(), error_description: z.string().optional() });
/** Of RFC 6749; anything else is not repeated. */
const KNOWN_ERROR = /^[a-z_]{1,40}$/;

/** Why a client gets no token, by the words that Keycloak 26 has for it. */
export function refusedClient({ id: client, setting }: OwnClient, answer: Answer): Finding {
  const { error = "", error_description: words = "" } = RefusalSchema.safeParse(jsonOf(answer.text)).data ?? {};
  if (/HTTPS required/i.test(words)) return found("client-https", { client });
  if (/service account/i.test(words)) return found("client-no-account", { client });
  if (/^User '.*' disabled/i.test(words)) return found("client-account-disabled", { client });
  if (error === "invalid_client") return found("client-unknown", { client, setting });
  if (error === "unauthorized_client") return found("client-refused", { client, setting });
  return found("client-odd", { client, status: answer.status, error: KNOWN_ERROR.test(error) ? error : "" });
}

/** A password grant without a user: the client is judged, and nobody's sign-in is tried. Undefined when the answer tells nothing. */
export function directGrantFinding({ id: client }: OwnClient, outcome: Outcome): Finding | undefined {
  const refusal = outcome.kind === "answer" ? RefusalSchema.safeParse(jsonOf(outcome.text)).data : undefined;
  if (refusal?.error === "invalid_request" || refusal?.error === "invalid_grant") return found("direct-grants", { client });
  return refusal?.error === "unauthorized_client" ? found("direct-grants-off", { client }) : undefined;
}
