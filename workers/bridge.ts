// The bridge to an ordinary Kafka by itself: for a platform that runs on Workers, which reach it by HTTP.
import { readSettings } from "../src/env.ts";
import { bridgeSettings } from "../src/settings/process.ts";
import { openBridge } from "./kafka.ts";
import { listenOnNode } from "./listen-node.ts";
import { logOf } from "./log.ts";
import { listener, runUntilSignal } from "./process.ts";
import { processEnvironment } from "./settings-file.ts";

await runUntilSignal(async (closers) => {
  const settings = readSettings(bridgeSettings, processEnvironment());
  const log = logOf(settings.LOG_FORMAT);
  const credentials = { username: settings.BROKER_USERNAME, password: settings.BROKER_PASSWORD };
  const bridge = openBridge(settings, { credentials, log, closers });
  const url = await listener(listenOnNode, { host: settings.HOST, closers })("bridge", settings.BROKER_PORT, bridge.fetch);
  log({ level: "info", service: "broker", message: `The bridge to Kafka is up at ${url}` });
  await bridge.greet();
});
