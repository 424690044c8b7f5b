import { type Context, Hono } from "hono";
import { readBounded } from "../http/bounded.ts";
import { jsonOf } from "../http/upstream.ts";
import { isSameSecret } from "../passwords/constant-time.ts";
import type { RedisRun } from "./run.ts";
import { answerOf, commandIn, commandsIn, refusalOf } from "./wire.ts";

const MAX_BODY_BYTES = 1024 * 1024;

export type RedisEndpointNeeds = {
  /** What a caller must send, so that an open port is not an open Redis. */
  token: string;
  run: RedisRun;
};

/** Upstash's REST interface in front of whatever `run` speaks to: `POST /`, `/pipeline` and `/multi-exec`. */
export function redisEndpoint({ token, run }: RedisEndpointNeeds): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    const given = /^Bearer (\S+)$/i.exec(c.req.header("authorization") ?? "")?.[1] ?? "";
    return (await isSameSecret(given, token)) ? next() : c.json({ error: "WRONGPASS invalid or missing auth token" }, 401);
  });
  app.post("/", async (c) => {
    const command = commandIn(await bodyOf(c));
    if (!command) return c.json({ error: "ERR failed to parse command" }, 400);
    const refusal = refused(command);
    if (refusal) return c.json(refusal, 400);
    const [answer] = await answersTo([command], c);
    return c.json(answer, answer && "error" in answer ? 400 : 200);
  });
  app.post("/pipeline", async (c) => {
    const commands = commandsIn(await bodyOf(c));
    if (!commands) return c.json({ error: "ERR failed to parse pipeline request" }, 400);
    const allowed = commands.filter((command) => refused(command) === undefined);
    const answers = (await answersTo(allowed, c)).values();
    return c.json(commands.map((command) => refused(command) ?? answers.next().value));
  });
  app.post("/multi-exec", async (c) => {
    const commands = commandsIn(await bodyOf(c));
    if (!commands) return c.json({ error: "ERR failed to parse multi-exec request" }, 400);
    const refusal = commands.map(refused).find((answer) => answer !== undefined);
    if (refusal) return c.json(refusal, 400);
    const [reply = null] = await run({ commands, isTransaction: true });
    if (!Array.isArray(reply)) return c.json(answerOf(reply, false), 400);
    return c.json(reply.map((item) => answerOf(item, isBase64(c))));
  });
  app.notFound((c) => c.json({ error: "ERR There is no such operation" }, 404));
  app.onError((error, c) => {
    if (error instanceof TooLarge) return c.json({ error: `ERR max request size exceeded, at most ${MAX_BODY_BYTES} bytes` }, 413);
    // Nothing of what a client says of its server: it would name the address.
    return c.json({ error: "ERR Redis is not available" }, 503);
  });

  async function answersTo(commands: string[][], c: Context) {
    return (await run({ commands })).map((reply) => answerOf(reply, isBase64(c)));
  }

  return app;
}

class TooLarge extends Error {}

async function bodyOf(c: Context): Promise<unknown> {
  const bytes = await readBounded(c.req.raw.body, MAX_BODY_BYTES);
  if (!bytes) throw new TooLarge();
  return jsonOf(new TextDecoder().decode(bytes));
}

function isBase64(c: Context): boolean {
  return c.req.header("upstash-encoding") === "base64";
}

function refused(command: string[]): { error: string } | undefined {
  const error = refusalOf(command);
  return error === undefined ? undefined : { error };
}
