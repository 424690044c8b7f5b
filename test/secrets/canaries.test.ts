import { expect, it } from "vitest";
import { describe as describeError } from "../../src/http/log.ts";
import { vault } from "../../src/secrets/vault.ts";
import { embeddedSecrets } from "../../src/secrets/embedded/app.ts";
import { fresh, MERGE_PATCH, wire } from "../wire/secrets/wire.ts";
import { EVERYTHING, embeddedUnderTest, KEY } from "./embedded.ts";

/** Every table of the schema, all rows, all columns, as text. */
async function dump(query: (sql: string) => Promise<Record<string, string | null>[]>): Promise<string> {
  const tables = await query("select tablename from pg_tables where schemaname = 'secrets'");
  const rows = await Promise.all(tables.map(({ tablename }) => query(`select t::text as row from secrets.${tablename} t`)));
  expect(tables).toHaveLength(7);
  return rows.flat().map(({ row }) => row).join("\n");
}

it("values, secret-ids and tokens stand in no log, no error and no row", async () => {
  const embedded = await embeddedUnderTest();
  const at = wire(embedded);
  const canary = fresh("canary");
  const below = `platform/${fresh("svc")}/dev`;
  const errors: string[] = [];
  const refused = async (line: string, sent: Parameters<typeof at.call>[1] = {}) => {
    const answer = await at.call(line, sent);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    errors.push(answer.text);
  };

  await at.must(`POST secret/data/${below}`, { body: { data: { [`${canary}-key`]: `${canary}-value` } } });
  await at.must(`PATCH secret/data/${below}`, { body: { data: { more: `${canary}-more` } }, headers: MERGE_PATCH });
  const role = await at.newRole();
  const { secretId } = await at.newSecretId(role);
  const token = (await at.login(role, secretId)).body.auth.client_token as string;

  await refused(`POST secret/data/${below}`, { body: { data: { v: `${canary}-value` }, options: { cas: 9 } } });
  await refused(`POST secret/data/${below}`, { body: `{"data": {"v": "${canary}-value"` });
  await refused(`POST secret/data/${below}`, { body: { data: `${canary}-value` } });
  await refused(`POST secret/data/${below}`, { body: { data: { v: `${canary}${"x".repeat(1_100_000)}` } } });
  await refused(`POST secret/data/${below}`, { body: { data: { v: `${canary}${"x".repeat(2_200_000)}` } } });
  await refused("POST auth/approle/login", { as: null, body: { role_id: `${canary}-role`, secret_id: `${canary}-secret` } });
  await refused("POST auth/approle/login", { as: null, body: { role_id: role.roleId, secret_id: `${canary}-secret` } });
  await refused(`GET secret/data/${below}`, { as: `${canary}-token` });
  await refused(`GET secret/data/${below}`, { as: token });
  await refused("PUT sys/policies/acl/x", { body: { policy: `path "x" { capabilities = ["${canary}` } });

  // A defect, a tampered row and a database that is away: what is logged then.
  await embedded.database.query("update secrets.versions set sealed = 'AAAA.AAAA'");
  await refused(`GET secret/data/${below}`);
  const away = new Proxy(embedded.needs.db, { get: () => () => { throw new Error(`Failed query: insert\nparams: ${canary}-parameter`); } });
  const broken = embeddedSecrets({ ...embedded.needs, db: away });
  errors.push(await (await broken.fetch(new Request(`http://vault.test/v1/secret/data/${below}`, { headers: { "x-vault-token": token } }))).text());

  const client = vault({ url: "http://vault.test", roleId: EVERYTHING.roleId, secretId: secretId, fetch: embedded.fetch, now: Date.now, sharesPending: true });
  const problem = await client.listPolicies({ requestId: "request-0001", traceId: "", traceparent: "", deadline: Date.now() + 5000 }).catch((error: unknown) => error);
  errors.push(describeError(problem, true));

  const rows = await dump(embedded.database.query);
  const logged = JSON.stringify(embedded.log);
  expect(logged).toContain("Cannot open a sealed value");
  for (const secret of [canary, secretId, token, EVERYTHING.secretId, embedded.token, KEY]) {
    expect(rows).not.toContain(secret);
    expect(logged).not.toContain(secret);
    expect(errors.join("\n")).not.toContain(secret);
  }
  await embedded.close();
});
