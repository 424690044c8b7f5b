import { cpSync, existsSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { digest, madeOnce } from "./cache.ts";
import { run, serve } from "./child.ts";
import { answers, missingJava, portFor, said } from "./machine.ts";
import type { System } from "./system.ts";

const VERSION = "26.7.3";
const ADMIN = { username: "admin", password: "of-the-tests" };
const START_MS = 300_000;
// Started from its archive of classes and compiled only lightly, it is ready in a few seconds instead of a minute.
const JAVA_OPTS = "-Xms128m -Xmx512m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xlog:cds=off -Xlog:cds+dynamic=off";

/** Keycloak as it is distributed, with its default features, on its own file database. */
export const keycloak: System = {
  name: "Keycloak",
  missing: missingJava,
  prepare: async (cache) => {
    const built = builtIn(cache);
    await madeOnce(built, () => build(built));
    const seed = seedIn(cache);
    await madeOnce(seed, async () => {
      const { stop } = await launch(built, { data: seed, java: `-XX:ArchiveClassesAtExit=${archive(seed)}` });
      await stop();
      if (!existsSync(archive(seed))) throw new Error(`Cannot make "${archive(seed)}": the Keycloak that was to write it was ended too early`);
    });
  },
  start: async ({ cache, data }) => {
    if (!existsSync(databaseIn(data))) cpSync(databaseIn(seedIn(cache)), databaseIn(data), { recursive: true });
    const { url, ...server } = await launch(builtIn(cache), { data, java: `-XX:SharedArchiveFile=${archive(seedIn(cache))}` });
    return { ...server, version: VERSION, environment: { KEYCLOAK_URL: url, KEYCLOAK_ADMIN: ADMIN.username, KEYCLOAK_ADMIN_PASSWORD: ADMIN.password } };
  },
};

const builtIn = (cache: string) => join(cache, `keycloak-${VERSION}`);
/** A database after the first start, with nothing in it but the realm `master`, and the archive of classes, which only suits the Java that made it. */
const seedIn = (cache: string) => `${builtIn(cache)}-${digest(said("java", "-version"), JAVA_OPTS)}`;
const archive = (seed: string) => join(seed, "classes.jsa");
const databaseIn = (data: string) => join(data, "database");

async function build(folder: string): Promise<void> {
  const unpack = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:unpack";
  const artifact = `org.keycloak:keycloak-quarkus-dist:${VERSION}:tar.gz`;
  await run(["mvn", "-B", "-q", unpack, `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`], { cwd: folder });
  renameSync(join(folder, `keycloak-${VERSION}`), join(folder, "dist"));
  await run([join(folder, "dist/bin/kc.sh"), "build", "--db=dev-file", "--health-enabled=true"], { env: environment("") });
}

async function launch(folder: string, { data, java }: { data: string; java: string }) {
  mkdirSync(databaseIn(data), { recursive: true });
  const [port, management] = [await portFor("KEYCLOAK_PORT", data), await portFor("KEYCLOAK_MANAGEMENT_PORT", data)];
  // Without a host name, tokens are issued by whatever name a request has used.
  const url = `http://127.0.0.1:${port}`;
  const at = ["--http-enabled=true", "--http-host=127.0.0.1", `--http-port=${port}`, `--http-management-port=${management}`, `--hostname=${url}`];
  const server = await serve([join(folder, "dist/bin/kc.sh"), "start", "--optimized", "--cache=local", ...at], {
    log: join(data, "keycloak.log"),
    isReady: () => answers(`http://127.0.0.1:${management}/health/ready`),
    withinMs: START_MS,
    env: {
      ...environment(java),
      // Unless told so, it writes up to half a second after it has answered, and a crash takes what was acknowledged.
      KC_DB_URL: `jdbc:h2:file:${join(databaseIn(data), "keycloak")};NON_KEYWORDS=VALUE;DB_CLOSE_ON_EXIT=FALSE;WRITE_DELAY=0`,
      KC_BOOTSTRAP_ADMIN_USERNAME: ADMIN.username,
      KC_BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password,
    },
  });
  return { ...server, url };
}

/** Settings of somebody else's Keycloak are not for this one. */
function environment(java: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(KC|KEYCLOAK|QUARKUS)_/.test(name));
  return { ...Object.fromEntries(inherited), JAVA_OPTS: `${JAVA_OPTS} ${java}` };
}
