import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openConfigFiles } from "../../workers/config-files.ts";
import { canBeSent, DIFFERENCES, expected } from "./differences.ts";
import { type ConfigInstance, configInstance } from "./instance.ts";
import { nameOf, outcomeOf, type Recorded, recorded, recordedOutcome } from "./replay.ts";
import { recordedCheckout, REPOSITORY } from "./repository.ts";

const exchanges = recorded("config-server.jsonl").filter(canBeSent);
/** The commits of the repository that the original answered from. */
const ORIGINAL = { main: "7fab09b1fbc000ca90d555ae30da9bf75e7a6f5a", v1: "182b46db695fa04e1aec5fc6a28172bf4a7f5397", "feature/x": "89816f8a7965a1f2176584dcf71df52aecfd45f0" };

type Replay = { instance: ConfigInstance; exchange: Recorded; names: Record<string, string> };

async function check({ instance, exchange, names }: Replay): Promise<void> {
  const [outcome, wanted] = [await outcomeOf(instance, exchange, names), expected(exchange, recordedOutcome(exchange))];
  // Where the original refuses and no difference says with what, only the status is compared.
  expect(wanted.status >= 400 && wanted.code === undefined ? { status: outcome.status } : outcome).toEqual(wanted);
}

/** Each call once, also where the original was asked twice. */
function named(some: readonly Recorded[]): [string, Recorded][] {
  return some.map((exchange, index) => [`${nameOf(exchange)} (${index})`, exchange]);
}

test.for(DIFFERENCES.map((difference) => [String(difference.of), difference] as const))("the difference %s is one", ([, { of, backend, ours }]) => {
  const about = exchanges.filter((exchange) => of.test(nameOf(exchange)) && (backend === undefined || backend === exchange.backend));
  const changed = about.filter((exchange) => JSON.stringify(ours(recordedOutcome(exchange), exchange.request.path)) !== JSON.stringify(recordedOutcome(exchange)));
  expect(changed).not.toEqual([]);
});

describe("on a folder, what the original answers is answered", () => {
  let instance: ConfigInstance;
  beforeAll(async () => {
    instance = configInstance({ files: await openConfigFiles(REPOSITORY) });
  });

  test.for(named(exchanges.filter(({ backend }) => backend === "native")))("%s", ([, exchange]) => check({ instance, exchange, names: { [REPOSITORY]: "{CONFIG_REPO}" } }));

  test.for(named(recorded("config-clients.jsonl").filter(({ request: { headers = {} } }) => headers["authorization"] === undefined)))(
    "a client of Spring's is: %s",
    ([, exchange]) => check({ instance, exchange, names: { [REPOSITORY]: "{CONFIG_REPO}" } }),
  );
});

describe("a client of Spring's with a user name and a password", () => {
  test.for(named(recorded("config-clients.jsonl").filter(({ request: { headers = {} } }) => headers["authorization"] !== undefined)))("is answered: %s", async ([, exchange]) => {
    const [, password = ""] = atob(exchange.request.headers?.["authorization"]?.split(" ")[1] ?? "").split(":");
    const instance = configInstance({ files: await openConfigFiles(REPOSITORY), isLoopback: false, credential: { username: "user", password } });
    await check({ instance, exchange, names: { [REPOSITORY]: "{CONFIG_REPO}" } });
  });
});

describe("on a git checkout, what the original answers is answered", () => {
  let checkout: ReturnType<typeof recordedCheckout>;
  let instance: ConfigInstance;
  beforeAll(async () => {
    checkout = recordedCheckout();
    instance = configInstance({ files: await openConfigFiles(checkout.root) });
  });
  afterAll(() => checkout.remove());

  test.for(named(exchanges.filter(({ backend }) => backend === "git")))("%s", ([, exchange]) => {
    const { root, commits } = checkout;
    const shas = Object.entries(commits).map(([name, sha]) => [sha, ORIGINAL[name as keyof typeof ORIGINAL]]);
    const names = { [root]: "{CONFIG_GIT}", ...Object.fromEntries(shas), [`"label":"${commits.main.slice(0, 8)}"`]: `"label":"${ORIGINAL.main.slice(0, 8)}"` };
    const path = exchange.request.path.replace(ORIGINAL.main.slice(0, 8), commits.main.slice(0, 8)).replace(ORIGINAL.main.slice(8), commits.main.slice(8));
    return check({ instance, exchange: { ...exchange, request: { ...exchange.request, path } }, names });
  });
});
