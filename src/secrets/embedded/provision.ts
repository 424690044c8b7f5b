import { PLATFORM_TOKEN } from "../platform-policies.ts";
import { DEFAULT_SETTINGS, type RoleSettings } from "./approle/role.ts";
import { provideRoles, type RoleToProvide } from "./approle/provision-store.ts";
import { parsePolicy } from "./policies/policy.ts";
import { providePolicies } from "./policies/store.ts";
import { keepProof } from "./seal-store.ts";
import { openServer, type SecretsNeeds, type Server } from "./server.ts";

export type SecretsToProvide = {
  /** Name → HCL. */
  policies: Record<string, string>;
  /** Name → what its service logs in with. */
  approles: Record<string, { policies: string[]; roleId: string; secretId: string }>;
};

/** The installation key is not the one that everything stored was sealed with. */
export class WrongKey extends Error {}

/**
 * Brings the store to where the platform can start: these policies, and these AppRoles with credentials that do not run
 * out. Safe to repeat, and to run from several instances at once; a credential that changed takes the place of the old one.
 * Fails when what is stored was sealed with another installation key.
 */
export async function provisionSecrets(needs: SecretsNeeds, { policies, approles }: SecretsToProvide): Promise<void> {
  const server = openServer(needs);
  await checkKey(server);
  await providePolicies(
    server.db,
    Object.entries(policies).map(([name, hcl]) => ({ name, hcl, rules: parsePolicy(hcl) })),
  );
  const roles = Object.entries(approles).map(async ([name, { policies: names, roleId, secretId }]): Promise<RoleToProvide> => ({
    name,
    roleId,
    settings: roleSettings(names),
    hash: await server.keys.recognise("secret-id", secretId),
    accessor: server.newId(),
  }));
  await provideRoles(server.db, await Promise.all(roles), server.now());
}

function roleSettings(policies: string[]): RoleSettings {
  return { ...DEFAULT_SETTINGS, ...PLATFORM_TOKEN, token_policies: policies };
}

async function checkKey(server: Server): Promise<void> {
  const proof = await server.keys.recognise("installation", "proof");
  if ((await keepProof(server.db, proof)) === proof) return;
  throw new WrongKey("Cannot open the secrets store: what it holds was sealed with another installation key");
}
