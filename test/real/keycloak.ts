import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { digest, madeOnce } from "./cache.ts";
import { run, serve } from "./child.ts";
import { answers, missingJava, portFor, said } from "./machine.ts";
import { copyCluster, filesIn, postgres, postgresVersion, startCluster } from "./postgres.ts";
import type { System } from "./system.ts";

/** Or another one that the platform is to run with. */
const VERSION = process.env["KEYCLOAK_VERSION"] || "26.7.3";
const ADMIN = { username: "admin", password: "of-the-tests" };
const START_MS = 300_000;
// Started from its archive of classes and compiled only lightly, it is ready in a few seconds instead of a minute.
const JAVA_OPTS = "-Xms128m -Xmx512m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xlog:cds=off -Xlog:cds+dynamic=off";

const BUILD = ["--db=postgres", "--health-enabled=true"];

/** Keycloak as it is distributed, with its default features, on a Postgres of its own. */
export const keycloak: System = {
  name: "Keycloak",
  missing: () => [...missingJava(), ...postgres.missing()],
  prepare: async (at) => {
    // The seed's name has the version of it.
    await postgres.prepare(at);
    const [built, seed] = [builtIn(at.cache), seedIn(at.cache)];
    await madeOnce(built, () => build(built));
    await madeOnce(seed, () => makeSeed(built, { seed, data: join(at.data, "seed") }));
  },
  start: async ({ cache, data }) => {
    const seed = seedIn(cache);
    if (!existsSync(databaseIn(data))) await copyCluster(filesIn(seed), databaseIn(data));
    const { url, ...server } = await launch(builtIn(cache), { data, java: `-XX:SharedArchiveFile=${archive(seed)}` });
    return { ...server, version: VERSION, environment: { KEYCLOAK_URL: url, KEYCLOAK_ADMIN: ADMIN.username, KEYCLOAK_ADMIN_PASSWORD: ADMIN.password } };
  },
};

const builtIn = (cache: string) => join(cache, `keycloak-${VERSION}-${digest(...BUILD)}`);
/** A database after the first start, with nothing in it but the realm `master`, and the archive of classes; each suits what made it alone. */
const seedIn = (cache: string) => `${builtIn(cache)}-${digest(said("java", "-version"), JAVA_OPTS, postgresVersion())}`;
const archive = (seed: string) => join(seed, "classes.jsa");
const databaseIn = (data: string) => join(data, "database");

async function build(folder: string): Promise<void> {
  const unpack = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:unpack";
  const artifact = `org.keycloak:keycloak-quarkus-dist:${VERSION}:tar.gz`;
  await run(["mvn", "-B", "-q", unpack, `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`], { cwd: folder });
  renameSync(join(folder, `keycloak-${VERSION}`), join(folder, "dist"));
  await run([join(folder, "dist/bin/kc.sh"), "build", ...BUILD], { env: environment("") });
}

/** Not where it is kept: the user that Postgres runs as need not get there. */
async function makeSeed(built: string, { seed, data }: { seed: string; data: string }): Promise<void> {
  const { stop } = await launch(built, { data, java: `-XX:ArchiveClassesAtExit=${archive(seed)}` });
  await stop();
  if (!existsSync(archive(seed))) throw new Error(`Cannot make "${archive(seed)}": the Keycloak that was to write it was ended too early`);
  await run(["cp", "-a", filesIn(databaseIn(data)), seed]);
}

async function launch(folder: string, { data, java }: { data: string; java: string }) {
  const database = await startCluster({ data: databaseIn(data), portName: "KEYCLOAK_DATABASE_PORT", name: "keycloak" });
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
      KC_DB_URL: `jdbc:postgresql://${database.at}`,
      KC_DB_USERNAME: "keycloak",
      KC_DB_PASSWORD: "keycloak",
      KC_BOOTSTRAP_ADMIN_USERNAME: ADMIN.username,
      KC_BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password,
    },
  });
  const stop: typeof server.stop = async (signal) => {
    await server.stop(signal);
    await database.stop(signal);
  };
  return { pid: server.pid, stop, url };
}

/** Settings of somebody else's Keycloak are not for this one. */
function environment(java: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(KC|KEYCLOAK|QUARKUS)_/.test(name));
  return { ...Object.fromEntries(inherited), JAVA_OPTS: `${JAVA_OPTS} ${java}` };
}
