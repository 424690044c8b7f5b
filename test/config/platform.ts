import { configService } from "../../src/compose/config.ts";
import { bundledFiles } from "../../src/config/files.ts";
import { readSettings } from "../../src/env.ts";
import type { Fetch } from "../../src/http/fetch.ts";
import { vault } from "../../src/secrets/vault.ts";
import { beginCall } from "../../src/http/call.ts";
import { configSettings } from "../../src/settings/services.ts";
import { testPlatform, type Wire } from "../platform.ts";
import { documentationScript } from "../script.ts";
import { openSecrets } from "../systems/secrets.ts";
import { CREDENTIAL } from "./instance.ts";

const OWN = { roleId: "role-id-of-config-server", secretId: "secret-id-of-config-server" };
const WRITER = { roleId: "role-id-of-the-tests", secretId: "secret-id-of-the-tests" };
const READ_SECRETS = 'path "secret/data/platform/+/+" { capabilities = ["read"] }';

const FILES = {
  "application.yml": "shared: everybody\npassword: from-a-file\nuses: ${password}\n",
  "auth-service.yml": "own: auth-service\n",
  "banner.txt": "password ${password}",
};

export type ConfigPlatform = Awaited<ReturnType<typeof configPlatform>>;

/** A configuration server beside an identity provider and a secrets store. */
export async function configPlatform() {
  const platform = await testPlatform();
  const { clock } = platform;
  const store = await openSecrets({ db: platform.database.db, now: clock.now }, {
    policies: { "read-secrets": READ_SECRETS, "write-secrets": 'path "secret/*" { capabilities = ["create", "update", "read"] }' },
    approles: { "config-server": { ...OWN, policies: ["read-secrets"] }, "tests": { ...WRITER, policies: ["write-secrets"] } },
  });
  const asked: string[] = [];
  const secrets: Fetch = store.fetch;
  const writer = vault({ url: store.url, ...WRITER, fetch: secrets, now: clock.now, sharesPending: true });
  const env = {
    IDENTITY_URL: platform.identityUrl,
    IDENTITY_REALM: platform.realm,
    SECRETS_URL: store.url,
    CONFIG_SERVER_ROLE_ID: OWN.roleId,
    CONFIG_SERVER_SECRET_ID: OWN.secretId,
    CONFIG_USERNAME: CREDENTIAL.username,
    CONFIG_PASSWORD: CREDENTIAL.password,
  };

  /** One more configuration server, with `wire` between it and the secrets store. */
  function instance({ wire, settings = {} }: { wire?: Wire; settings?: Record<string, string> } = {}) {
    const outgoing: Fetch = (request) => {
      const { pathname } = new URL(request.url);
      if (pathname.includes("/data/")) asked.push(pathname);
      return wire ? wire(request, secrets) : secrets(request);
    };
    const runtime = { log: (entry: (typeof platform.log)[number]) => void platform.log.push(entry), now: clock.now, sharesPending: true, identity: platform.identity, documentationScript };
    const app = configService(readSettings(configSettings, { ...env, ...settings }), { ...runtime, secrets: outgoing, files: bundledFiles(FILES) });
    return (path: string, headers: Record<string, string> = {}) => Promise.resolve(app.fetch(new Request(new URL(path, "http://config.localhost"), { headers })));
  }

  /** Puts secrets where the platform has them. */
  async function keep(below: string, data: Record<string, unknown>): Promise<void> {
    const call = beginCall(new Headers(), { now: clock.now(), limit: 5000 });
    await writer.writeSecrets(call, below, { data, cas: await writer.currentVersion(call, below) });
  }

  const close = async () => {
    await store.close();
    await platform.close();
  };
  return { ...platform, call: instance(), instance, keep, asked, close };
}
