import { createClient } from "@redis/client";
import { AdministrationError } from "../../src/provision/administration.ts";
import { reasonOf } from "../migrations.ts";

const TIMEOUT_MS = 10_000;

/** Throws unless an ordinary Redis answers at `url`. */
export async function checkRedis(url: string): Promise<void> {
  const client = createClient({ url, socket: { connectTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS, reconnectStrategy: false } });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.ping();
  } catch (cause) {
    throw new AdministrationError(`Cannot reach the Redis at "${new URL(url).host}": ${reasonOf(cause)}`, { cause });
  } finally {
    client.destroy();
  }
}
