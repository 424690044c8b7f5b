import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { digest, madeOnce } from "./cache.ts";
import { run, serve } from "./child.ts";
import { isAtLeast, portFor, said } from "./machine.ts";
import type { System } from "./system.ts";

const SOURCE = fileURLToPath(new URL("vault", import.meta.url));
const GO = "1.25.3";
const sourceOf = (file: string) => readFileSync(join(SOURCE, file), "utf8");
const VERSION = /hashicorp\/vault v([\d.]+)/.exec(sourceOf("go.mod"))?.[1] ?? "";

type Keys = { root_token: string; keys_base64: string[] };

/** Vault, built from its modules, with nothing mounted; unsealed, with the root token of its first start. */
export const vault: System = {
  name: "Vault",
  missing: () => (isAtLeast(GO, said("go", "version"), /go([\d.]+)/) ? [] : [`Go ${GO} or newer is missing`]),
  prepare: async ({ cache }) => {
    const folder = builtIn(cache);
    const flags = ["-mod=readonly", "-buildvcs=false", "-trimpath", "-tags", "minimal", "-ldflags", "-s -w"];
    await madeOnce(folder, () => run(["go", "build", ...flags, "-o", join(folder, "vault"), "."], { cwd: SOURCE, env: { ...process.env, CGO_ENABLED: "0" } }));
  },
  start: async ({ cache, data }) => {
    const address = `127.0.0.1:${await portFor("VAULT_PORT", data)}`;
    const url = `http://${address}`;
    const server = await serve([join(builtIn(cache), "vault"), "-address", address, "-folder", join(data, "files")], {
      log: join(data, "vault.log"),
      isReady: () => fetch(`${url}/v1/sys/seal-status`).then(({ ok }) => ok, () => false),
    });
    const keys = join(data, "keys.json");
    if (!existsSync(keys)) writeFileSync(keys, JSON.stringify(await put(`${url}/v1/sys/init`, { secret_shares: 1, secret_threshold: 1 })), { mode: 0o600 });
    const { root_token: token, keys_base64: [key] } = JSON.parse(readFileSync(keys, "utf8")) as Keys;
    await put(`${url}/v1/sys/unseal`, { key });
    return { ...server, version: VERSION, environment: { VAULT_URL: url, VAULT_TOKEN: token } };
  },
};

const builtIn = (cache: string) => join(cache, `vault-${VERSION}-${digest(...["main.go", "go.mod", "go.sum"].map(sourceOf))}`);

async function put(url: string, body: unknown): Promise<unknown> {
  const response = await fetch(url, { method: "PUT", body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`Cannot PUT "${url}": ${response.status} ${await response.text()}`);
  return response.json();
}
