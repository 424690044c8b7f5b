import { createClient, ErrorReply } from "@redis/client";
import { AdministrationError } from "../../src/administration/administer.ts";
import { reasonOf } from "../migrations.ts";
import { redisTls } from "../redis-tls.ts";

const TIMEOUT_MS = 10_000;

/** What the platform does there needs no more. */
const RIGHTS = "+eval +incr +pttl +pexpire ~gatehouse:limit:* (and +select where the URL has a number)";

/** Throws unless an ordinary Redis answers at `url`, and runs a script for this user; `authority` is the PEM file of who may vouch for it. */
export async function checkRedis({ url, authority }: { url: string; authority: string | undefined }): Promise<void> {
  const client = createClient({
    url,
    RESP: 2,
    socket: {
      ...redisTls(authority),
      connectTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      reconnectStrategy: false,
    },
    maintNotifications: "disabled",
  });
  client.on("error", () => {});
  const place = new URL(url).host;
  try {
    await client.connect();
    // As the gateway does: a user with its rights alone has none to PING.
    await client.sendCommand(["EVAL", "return 1", "1", "gatehouse:limit:provision"]);
  } catch (cause) {
    if (cause instanceof ErrorReply && cause.message.startsWith("NOPERM")) throw new AdministrationError(`Cannot use the Redis at "${place}": its user needs ${RIGHTS}`, { cause });
    throw new AdministrationError(`Cannot reach the Redis at "${place}": ${reasonOf(cause)}`, { cause });
  } finally {
    client.destroy();
  }
}
