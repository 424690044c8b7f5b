import type { Call } from "../../http/call.ts";
import { Problem } from "../../http/problem.ts";
import type { SecretsStore } from "../../secrets/vault.ts";

export type PolicyNeeds = {
  secrets: SecretsStore;
  /** Service → the text of its `{service}-policy.hcl`. */
  policies: Readonly<Record<string, string>>;
};

/** Throws `VAULT_POLICY_NOT_FOUND_404` for a service without a file. */
export async function writePolicy({ secrets, policies }: PolicyNeeds, call: Call, service: string): Promise<void> {
  const hcl = Object.hasOwn(policies, service) ? policies[service] : undefined;
  if (hcl === undefined) throw new Problem("VAULT_POLICY_NOT_FOUND_404", `There is no policy file for "${service}"`);
  await secrets.writePolicy(call, { name: policyOf(service), hcl });
}

export async function deletePolicy({ secrets }: PolicyNeeds, call: Call, service: string): Promise<void> {
  const name = policyOf(service);
  // Upstream nothing tells whether there was one, and who mistypes a name believes the rights gone.
  if (!(await secrets.listPolicies(call)).includes(name)) throw new Problem("VAULT_POLICY_NOT_FOUND_404", `There is no policy "${name}"`);
  await secrets.deletePolicy(call, name);
}

function policyOf(service: string): string {
  return `${service}-policy`;
}
