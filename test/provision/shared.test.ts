import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openInstallation } from "../../workers/data.ts";
import { PLATFORM } from "../command.ts";
import { answering, scripted } from "../doctor/upstream.ts";
import { credentialClient } from "../runtime/client.ts";
import { freePorts, launch } from "../runtime/launch.ts";
import { ownFolder } from "../workers/folder.ts";
import { keptIn, provision } from "./command.ts";

const SLOW = { timeout: 180_000 };

test("An instance on another machine takes the passwords of the settings file, and not those of its own first start", SLOW, async () => {
  const [first, second] = [ownFolder(), ownFolder()];
  const [shared, made] = [first, second].map(openInstallation);
  const redis = { UPSTASH_REDIS_REST_URL: await scripted(answering({ "/": { result: "PONG" } })), UPSTASH_REDIS_REST_TOKEN: "of-the-tests" };
  const { code, output } = await provision({ ...redis, GATEHOUSE_DATA: first }, "--yes");
  expect(code, output).toBe(0);
  expect(keptIn(join(first, "settings.env"))).toMatchObject({ DISCOVERY_PASSWORD: shared!.DISCOVERY_PASSWORD, CONFIG_PASSWORD: shared!.CONFIG_PASSWORD });

  copyFileSync(join(first, "settings.env"), join(second, "settings.env"));
  const ports = await freePorts();
  // Behind it nothing is open without a credential.
  const platform = await launch(PLATFORM, { ...ports, GATEHOUSE_DATA: second, PUBLIC_URL: "https://id.example" });
  try {
    const registry = (password: string) => credentialClient(`http://eureka:${password}@localhost:${ports.DISCOVERY_PORT}/eureka`)("/apps", { headers: { accept: "application/json" } });
    const configuration = async (password: string) => (await credentialClient(`http://config:${password}@localhost:${ports.CONFIG_PORT}`)("/auth-service/dev")).status;
    expect([await configuration(shared!.CONFIG_PASSWORD), await configuration(made!.CONFIG_PASSWORD)]).toEqual([200, 401]);
    const { status, body } = await registry(shared!.DISCOVERY_PASSWORD);
    expect([status, (await registry(made!.DISCOVERY_PASSWORD)).status]).toEqual([200, 401]);
    expect(body["applications"].application.map(({ name }: { name: string }) => name)).toContain("AUTH-SERVICE");
    expect(platform.output()).toContain(`Register at     http://eureka:…@localhost:${ports.DISCOVERY_PORT}/eureka   (password in ${second}/settings.env)`);
    for (const secret of [shared!, made!].flatMap(({ DISCOVERY_PASSWORD, CONFIG_PASSWORD }) => [DISCOVERY_PASSWORD, CONFIG_PASSWORD])) expect(platform.output()).not.toContain(secret);
  } finally {
    await platform.stop();
  }
});
