import * as z from "zod";
import { jsonOf, type Outcome } from "../../http/upstream.ts";
import type { Finding } from "../finding.ts";
import { found } from "./found.ts";

const DiscoverySchema = z.object({ issuer: z.string() });
const KeysSchema = z.object({ keys: z.array(z.object({ use: z.string().optional(), alg: z.string().optional(), kty: z.string() })) });

/** Where the hostname is not fixed, the issuer is the host that was asked: then every address has tokens of its own. */
export function issuerFinding(outcome: Outcome, { expected, base }: { expected: string; base: string }): Finding {
  const issuer = outcome.kind === "answer" ? DiscoverySchema.safeParse(jsonOf(outcome.text)).data?.issuer : undefined;
  if (issuer === undefined) return found("issuer-unknown", { url: `${expected}/.well-known/openid-configuration` });
  return issuer === expected ? found("issuer", { issuer }) : found("issuer-differs", { issuer, expected, base });
}

export function keyFindings(outcome: Outcome): Finding[] {
  const keys = (outcome.kind === "answer" ? KeysSchema.safeParse(jsonOf(outcome.text)).data?.keys : undefined) ?? [];
  const signing = keys.filter(({ use }) => use !== "enc").map(({ alg, kty }) => alg ?? kty);
  const others = [...new Set(signing.filter((algorithm) => algorithm !== "RS256"))].join(", ");
  const count = signing.filter((algorithm) => algorithm === "RS256").length;
  if (count === 0) return [found("keys-missing", { found: others || "none" })];
  return [found("keys", { count }), ...(others ? [found("keys-others", { found: others })] : [])];
}
