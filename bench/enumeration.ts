// Whether the time of a refused sign-in tells a known name from an unknown one: `npm run bench:enumeration`.
import { registered, testPlatform } from "../test/platform.ts";

const PAIRS = 60;

const platform = await testPlatform({ iterations: 600_000 });
const user = await registered(platform);

/** Milliseconds of one refused sign-in; the curve of failures is taken back, so that none is refused for a lock. */
async function refused(username: string): Promise<number> {
  const began = performance.now();
  const { status } = await platform.request("/api/auth/authenticate", { method: "POST", json: { username, password: "Wrong-Horse-7-Battery" } });
  const took = performance.now() - began;
  if (status !== 401) throw new Error(`Answered ${status}`);
  await platform.database.query("DELETE FROM users.login_guards");
  return took;
}

const differences: number[] = [];
const known: number[] = [];
for (let pair = 0; pair < PAIRS + 5; pair++) {
  // Which comes first changes, so that neither always finds the caches warm.
  const isKnownFirst = pair % 2 === 0;
  const one = await refused(isKnownFirst ? user.userId : "nobody.of.that.name");
  const other = await refused(isKnownFirst ? "nobody.of.that.name" : user.userId);
  if (pair < 5) continue;
  known.push(isKnownFirst ? one : other);
  differences.push(isKnownFirst ? one - other : other - one);
}
const mean = differences.reduce((sum, value) => sum + value, 0) / PAIRS;
const deviation = Math.sqrt(differences.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (PAIRS - 1));
const half = (1.96 * deviation) / Math.sqrt(PAIRS);
const median = known.toSorted((one, other) => one - other)[PAIRS / 2] ?? Number.NaN;
console.log(`known - unknown: ${mean.toFixed(2)} ms, 95 % confidence ${(mean - half).toFixed(2)} to ${(mean + half).toFixed(2)} ms, of a median of ${median.toFixed(1)} ms`);
await platform.close();
