import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { serve } from "./child.ts";
import { answers, portFor } from "./machine.ts";
import type { Running } from "./system.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CREDENTIALS = { username: "bridge", password: "of-the-tests" };

/** Our own REST v3 in front of a Kafka, as a process of its own. */
export async function startBridge(kafka: Running, data: string): Promise<Pick<Running, "environment">> {
  const port = await portFor("KAFKA_REST_PORT", data);
  const url = `http://127.0.0.1:${port}`;
  await serve([process.execPath, "workers/bridge.ts"], {
    cwd: ROOT,
    log: join(data, "bridge.log"),
    isReady: () => answers(`${url}/health`),
    env: {
      ...process.env,
      ...kafka.environment,
      GATEHOUSE_DATA: data,
      BROKER_PORT: String(port),
      BROKER_USERNAME: CREDENTIALS.username,
      BROKER_PASSWORD: CREDENTIALS.password,
    },
  });
  return { environment: { KAFKA_REST_URL: url, KAFKA_REST_CREDENTIALS: `${CREDENTIALS.username}:${CREDENTIALS.password}` } };
}
