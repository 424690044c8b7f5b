import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundledPolicies } from "../../src/admin/policies/bundled.ts";
import { platformPolicies } from "../../src/secrets/platform-policies.ts";
import { mountAll, VAULT, vault } from "../systems/vault.ts";
import { ownFolder } from "../workers/folder.ts";
import { diagnosis, MINUTE_MS } from "./command.ts";

const own = `doctor-${crypto.randomUUID().slice(0, 8)}`;
const made: string[] = [];

type Credentials = { roleId: string; secretId: string };

/** An AppRole of this run's own, with a policy of the same name. */
async function appRole(name: string, policy: string, settings: object = {}): Promise<Credentials> {
  const role = `${own}-${name}`;
  made.push(role);
  await vault(`PUT sys/policies/acl/${role}`, { policy });
  await vault(`POST auth/approle/role/${role}`, { token_policies: [role], token_ttl: "1h", token_max_ttl: "4h", ...settings });
  const { data: id } = await vault(`GET auth/approle/role/${role}/role-id`);
  const { data: secret } = await vault(`POST auth/approle/role/${role}/secret-id`);
  return { roleId: id.role_id, secretId: secret.secret_id };
}

/** How many tokens of the AppRole there are; of other tests' some end meanwhile. */
async function tokensOf(role: string): Promise<number> {
  const { data } = await vault("GET auth/token/accessors?list=true");
  let count = 0;
  for (const accessor of data.keys) {
    const token = await vault("POST auth/token/lookup-accessor", { accessor }).catch(() => undefined);
    if (token?.data?.meta?.role_name === role) count++;
  }
  return count;
}

const settings = (admin: Credentials, config: Credentials) => ({
  GATEHOUSE_DATA: join(ownFolder(), "data"),
  SERVICES: "admin,config",
  SECRETS_URL: VAULT,
  ADMIN_SERVICE_ROLE_ID: admin.roleId,
  ADMIN_SERVICE_SECRET_ID: admin.secretId,
  CONFIG_SERVER_ROLE_ID: config.roleId,
  CONFIG_SERVER_SECRET_ID: config.secretId,
});

const LEAST = platformPolicies(Object.keys(bundledPolicies));
const allow = (path: string, ...capabilities: string[]) => `path "${path}" { capabilities = ${JSON.stringify(capabilities)} }\n`;

describe.skipIf(VAULT === "")("a Vault", { timeout: 2 * MINUTE_MS }, () => {
  let admin: Credentials;
  let config: Credentials;

  beforeAll(async () => {
    await mountAll();
    admin = await appRole("admin", LEAST["platform-admin"]);
    config = await appRole("config", LEAST["platform-config"]);
  }, MINUTE_MS);
  afterAll(async () => {
    for (const name of made) {
      await vault(`DELETE auth/approle/role/${name}`);
      await vault(`DELETE sys/policies/acl/${name}`);
    }
  }, MINUTE_MS);

  test("one with the policies that the platform is given is fine, and keeps no token of ours", async () => {
    const { of, faults, having, text } = await diagnosis(settings(admin, config));
    expect(faults.filter((fault) => fault.startsWith("secrets/"))).toEqual([]);
    expect(of("secrets").filter(({ status }) => status === "not-checked")).toEqual([]);
    for (const code of ["login", "token", "secret-id", "capabilities"]) expect(having("secrets", code)).toHaveLength(2);
    // Vault judges a path as it is written, and knows an AppRole by its name in lower case.
    expect(having("secrets", "capabilities-left")).toMatchObject([{ status: "ok", sentence: expect.stringMatching(/ADMIN_SERVICE_SECRET_ID, to give a new AppRole any policy, to make credentials of the platform's own AppRoles, to delete the platform's own AppRoles$/) }]);
    expect(having("secrets", "capabilities-least")).toMatchObject([{ sentence: expect.stringContaining("config-server") }]);
    for (const code of ["state", "version", "clock-fine", "mount"]) expect(having("secrets", code)).toHaveLength(1);
    for (const secret of [admin.secretId, config.secretId]) expect(text).not.toContain(secret);
    expect(await tokensOf(`${own}-admin`)).toBe(0);
  });

  test("rights that are missing, and each kind of right that is too many", async () => {
    const poor = await appRole("poor", LEAST["platform-admin"].replace('"create", "read", "update", "patch"', '"read", "update"'));
    const rich = await appRole(
      "rich",
      LEAST["platform-admin"].replace('["create", "read", "delete"]', '["create", "read", "update", "delete"]').replaceAll('["deny"]', '["update"]') +
        allow(`sys/policies/acl/${own}-rich`, "update") +
        allow("sys/mounts/*", "create", "update", "sudo") +
        allow("secret/data/*", "read"),
    );
    const [missing, excess, wide] = await Promise.all([
      diagnosis(settings(poor, config)),
      diagnosis(settings(rich, config)),
      diagnosis(settings(admin, await appRole("writer", allow("secret/data/platform/+/+", "read", "create", "update")))),
    ]);
    expect(missing?.exit).toBe(1);
    expect(missing?.having("secrets", "capabilities-missing")).toMatchObject([{ sentence: "admin-service: secret/data/platform/gatehouse-doctor/dev lacks create, patch", remedy: expect.stringContaining("npm run -s policies:admin") }]);
    expect(excess?.exit).toBe(1);
    expect(excess?.having("secrets", "capabilities-own")).toMatchObject([{ status: "error", sentence: expect.stringContaining(`${own}-rich`) }]);
    expect(excess?.having("secrets", "capabilities-mint").map(({ sentence }) => sentence.split(" ").at(-1))).toEqual(["admin-service", "config-server"]);
    expect(excess?.having("secrets", "capabilities-overwrite")).toHaveLength(1);
    expect(excess?.having("secrets", "capabilities-excess").map(({ sentence }) => sentence)).toEqual([
      "admin-service: it may also create, update, sudo sys/mounts/…",
      "admin-service: it may also read secret/data/…",
    ]);
    expect(wide?.having("secrets", "capabilities-excess")).toMatchObject([{ status: "warning", sentence: "config-server: it may also create, update secret/data/platform/…/dev" }]);
  });

  test("a policy that is not there is one finding, and not the one of a mount that is missing", async () => {
    const bare = await appRole("bare", LEAST["platform-admin"]);
    await vault(`DELETE sys/policies/acl/${own}-bare`);
    const { of, having } = await diagnosis(settings(bare, config));
    expect(of("secrets").filter(({ status }) => status === "error")).toMatchObject([{ code: "policy-missing", sentence: expect.stringContaining(`the policy "${own}-bare" is missing or empty`) }]);
    expect(having("secrets", "mount")).toHaveLength(1);
  });

  test("credentials that end, are wrong, or belong to a role that gives poor tokens", async () => {
    const ending = await appRole("ending", LEAST["platform-admin"] + allow(`auth/approle/role/${own}-ending/secret-id/lookup`, "update"), { secret_id_ttl: "48h" });
    const unseen = await appRole("unseen", LEAST["platform-config"], { secret_id_ttl: "720h", token_type: "batch" });
    const used = await appRole("used", LEAST["platform-config"], { token_num_uses: 3 });
    const [times, uses, wrong] = await Promise.all([
      diagnosis(settings(ending, unseen)),
      diagnosis(settings(admin, used)),
      diagnosis(settings(admin, { ...config, secretId: "not-the-one-that-it-has" })),
    ]);
    expect(times?.having("secrets", "secret-id-ends")).toMatchObject([{ sentence: "admin-service: its secret-id ends in 48 h", remedy: expect.stringContaining(`vault write -f auth/approle/role/${own}-ending/secret-id`) }]);
    expect(times?.having("secrets", "secret-id-ttl")).toMatchObject([{ sentence: expect.stringContaining("last 30 days") }]);
    expect(times?.having("secrets", "token-not-renewable")).toMatchObject([{ sentence: expect.stringContaining("config-server") }]);
    expect(uses?.having("secrets", "token-uses")).toMatchObject([{ status: "error", sentence: "config-server: its tokens are good for 3 calls only" }]);
    expect(wrong?.exit).toBe(1);
    expect(wrong?.having("secrets", "login-refused")).toMatchObject([{ sentence: "config-server: CONFIG_SERVER_ROLE_ID and CONFIG_SERVER_SECRET_ID do not log in" }]);
    expect(wrong?.having("secrets", "capabilities")).toHaveLength(1);
  });
});
