import { readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { provisionSettings } from "../../src/provision/settings.ts";
import { processSettings } from "../../src/settings/process.ts";
import { adminSettings, authSettings, configSettings, discoverySettings, gatewaySettings, usersSettings } from "../../src/settings/services.ts";
import { compose, type ComposeService, services, text, variables } from "./compose.ts";

const ROOT = new URL("../../", import.meta.url);
const OURS = ["platform", "provision"];
const SECRET = /PASSWORD|TOKEN|SECRET(?!S_URL)|KEY|CREDENTIAL|AUTH$/;

const filesIn = ({ volumes }: ComposeService) => volumes.filter((volume) => volume.startsWith("."));

describe("what compose.yaml asks of its environment", () => {
  it("no password has a default, and each that is missing is asked for in a sentence", () => {
    const secrets = variables.filter(({ name }) => SECRET.test(name));
    expect(new Set(secrets.map(({ name }) => name))).toEqual(
      new Set(["POSTGRES_PASSWORD", "GATEHOUSE_DATABASE_PASSWORD", "KEYCLOAK_DATABASE_PASSWORD", "KEYCLOAK_ADMIN_PASSWORD", "KAFKA_PASSWORD", "REDIS_PASSWORD"]),
    );
    for (const { name, operator, word } of secrets) expect([name, operator, word]).toEqual([name, ":?", `Set ${name} in .env`]);
  });

  it("whatever else it takes can be left out", () => {
    for (const { name, operator } of variables.filter(({ name }) => !SECRET.test(name))) expect([name, operator]).toEqual([name, ":-"]);
  });

  it("no secret is written into it", () => {
    const values = services.flatMap(([, { environment }]) => Object.entries(environment).filter(([name]) => SECRET.test(name)));
    for (const [name, value] of values) expect([name, value ?? ""]).toEqual([name, expect.stringMatching(/^(\$\{[A-Z_]+:\?[^}]*\})?$/)]);
    expect(text).not.toMatch(/:\/\/[^\s/@$]*:[^\s/@$]+@/);
  });
});

describe.each(services)("%s", (name, service) => {
  it("runs as a plain user, on a read-only root, without capabilities", () => {
    const { user, read_only, cap_drop, security_opt, init } = service;
    expect(user).not.toMatch(/^(root|0)(:|$)/);
    expect({ read_only, cap_drop, security_opt, init }).toEqual({ read_only: true, cap_drop: ["ALL"], security_opt: ["no-new-privileges:true"], init: true });
  });

  it("publishes nothing but the gateway, on loopback", () => {
    expect(service.ports).toEqual(name === "platform" ? ["127.0.0.1:${PORT:-8080}:8080"] : []);
  });

  it("has no way out, the platform and its provisioning aside", () => {
    expect(service.networks).toEqual(["platform", "provision"].includes(name) ? ["inside", "outside"] : ["inside"]);
  });

  it("has a health check of its own or of its image, unless it ends by itself", () => {
    if (name === "provision") expect([service.healthcheck, service.restart]).toEqual([{ disable: true }, "no"]);
    else expect(service.restart).toBe("unless-stopped");
    if (!OURS.includes(name)) expect(service.healthcheck).toHaveProperty("test");
  });

  it("waits for those that are there, and can be healthy", () => {
    for (const [other, { condition }] of Object.entries(service.depends_on)) {
      expect(compose.services).toHaveProperty(other);
      expect([other, condition]).toEqual([other, "service_healthy"]);
    }
  });

  it("is built here, or its image has an exact version", () => {
    if (service.build) for (const runtime of ["node", "deno"]) expect(statSync(new URL(containerfileOf(service, runtime), ROOT)).isFile()).toBe(true);
    else expect(service.image).toMatch(/^[a-z]+(\/[a-z]+)?:\d+\.\d+(\.\d+)?(@sha256:[0-9a-f]{64})?$/);
  });

  it("mounts files that exist, to read only, and volumes that are declared", () => {
    for (const file of filesIn(service)) {
      const [path = "", , mode] = file.split(":");
      expect([path, statSync(new URL(path, ROOT)).isFile(), mode]).toEqual([path, true, "ro"]);
    }
    for (const volume of service.volumes.filter((one) => !one.startsWith("."))) expect(compose.volumes).toHaveProperty(volume.split(":")[0]!);
  });
});

describe("together", () => {
  it("the network is internal, and every volume is somebody's", () => {
    expect(compose.networks).toEqual({ inside: { internal: true }, outside: null });
    const used = new Set(services.flatMap(([, { volumes }]) => volumes.map((volume) => volume.split(":")[0])));
    expect(Object.keys(compose.volumes).filter((volume) => !used.has(volume))).toEqual([]);
  });

  it.each(OURS)("%s is told settings that there are", (name) => {
    const schemas = [usersSettings, authSettings, adminSettings, gatewaySettings, discoverySettings, configSettings, processSettings, provisionSettings];
    const known = new Set(["SETTINGS_FILE", ...schemas.flatMap(({ shape }) => Object.keys(shape))]);
    expect(Object.keys(compose.services[name]!.environment).filter((setting) => !known.has(setting))).toEqual([]);
  });

  it("the platform and what provisions are told the same systems, and share what is kept", () => {
    const { platform, provision } = compose.services;
    const systems = ["DATABASE_URL", "IDENTITY_URL", "SECRETS_URL", "KAFKA_BROKERS", "KAFKA_SASL_MECHANISM", "KAFKA_USERNAME", "KAFKA_PASSWORD", "REDIS_URL"];
    for (const setting of systems) expect([setting, platform?.environment[setting]]).toEqual([setting, provision?.environment[setting] ?? "given"]);
    expect([platform?.volumes, platform?.user, platform?.depends_on]).toEqual([provision?.volumes, provision?.user, provision?.depends_on]);
  });

  it("Keycloak calls itself what tokens are checked for", () => {
    expect(compose.services["keycloak"]?.environment["KC_HOSTNAME"]).toBe(compose.services["platform"]?.environment["IDENTITY_URL"]);
  });

  it("every address leads to a service", () => {
    const { DATABASE_URL, IDENTITY_URL, SECRETS_URL, KAFKA_BROKERS, REDIS_URL } = compose.services["platform"]!.environment;
    const hosts = [DATABASE_URL, IDENTITY_URL, SECRETS_URL, KAFKA_BROKERS, REDIS_URL].map((address) => /([a-z]+):\d+(?!.*[a-z]+:\d+)/.exec(address ?? "")?.[1]);
    expect(hosts).toEqual(["postgres", "keycloak", "vault", "kafka", "redis"]);
  });
});

describe("what it mounts", () => {
  const scripts = services.flatMap(([, service]) => filesIn(service)).map((file) => file.split(":")[0]!).filter((file) => file.endsWith(".sh"));

  it.each(scripts)("%s stops at the first failure, and has no secret of its own", (path) => {
    const script = readFileSync(new URL(path, ROOT), "utf8");
    expect(script).toMatch(/^#!\/bin\/bash\n(#.*\n)+set -euo pipefail\n/);
    expect(script).not.toMatch(/password=["']?[A-Za-z0-9]/i);
    // The entry point of Postgres' image runs what may be executed in a shell of its own.
    expect(statSync(fileURLToPath(new URL(path, ROOT))).mode & 0o111).not.toBe(0);
  });

  it("Kafka lets nobody in over the network without a password", () => {
    const script = readFileSync(new URL("containers/kafka.sh", ROOT), "utf8");
    const setting = (name: string) => new RegExp(`^${name.replaceAll(".", "\\.")}=(.*)$`, "m").exec(script)?.[1] ?? "";
    const plain = new Set(setting("listener.security.protocol.map").split(",").filter((one) => one.endsWith(":PLAINTEXT")).map((one) => one.split(":")[0]));
    expect(setting("listeners").split(",").filter((listener) => plain.has(listener.split(":")[0]))).toEqual(["INTERNAL://127.0.0.1:9094", "CONTROLLER://127.0.0.1:9093"]);
    expect(setting("listener.name.client.sasl.enabled.mechanisms")).toBe("SCRAM-SHA-512");
  });
});

function containerfileOf({ build }: ComposeService, runtime: string): string {
  return `${build!.context}/${build!.dockerfile.replace("${RUNTIME:-node}", runtime)}`;
}
