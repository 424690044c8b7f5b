import type { Finding } from "./finding.ts";
import { secretsIn } from "./settings/strength.ts";

/** Shorter ones are parts of ordinary words; they are in no text of ours either. */
const SHORTEST = 8;

/** `findings` without a value of any secret of `env`, whatever a system may have said in its answers. */
export function masked(findings: Finding[], env: Record<string, string | undefined>): Finding[] {
  const values = secretsIn(env).map(({ value }) => value).filter((value) => value.length >= SHORTEST);
  const secrets = [...new Set(values.flatMap((value) => [value, encodeURIComponent(value)]))].toSorted((a, b) => b.length - a.length);
  const without = (text: string) => secrets.reduce((rest, secret) => rest.replaceAll(secret, "…"), text);
  return findings.map((finding) => ({ ...finding, sentence: without(finding.sentence), remedy: finding.remedy === null ? null : without(finding.remedy) }));
}
