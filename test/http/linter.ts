import { createConfig, lintFromString } from "@redocly/openapi-core";

const RULES = {
  // The platform is not licensed to the public: there is no license to name.
  "info-license": "off",
  // A tag that is only used, and not described, would stand in the page without a word.
  "operation-tag-defined": "error",
} as const;

/** What Redocly's strictest rules say against `document`, and where; that its examples fit their schemas is among them. */
export async function findings(document: object): Promise<string[]> {
  const config = await createConfig({ extends: ["recommended-strict"], rules: RULES });
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: "openapi.json", config });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer ?? ""})`);
}
