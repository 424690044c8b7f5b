import type { Context, Hono } from "hono";
import type { Database } from "../../database/client.ts";
import type { ShellEnv } from "../../http/shell.ts";
import { findEntry } from "../entry-store.ts";
import { renew } from "../lease-store.ts";
import type { RegistryReader } from "../registry-reader.ts";
import { addMetadata, cancel, type Place, register, setStatus } from "../store.ts";
import { document, empty, zipped } from "./answer.ts";
import { registrationBody } from "./body.ts";
import { gzipped } from "./gzip.ts";
import { type List, lists } from "./lists.ts";
import { metadataOf } from "./metadata.ts";
import { failure, Refusal, refusing } from "./refusal.ts";
import { appKey, registrationIn, statusOf } from "./registration.ts";
import { instanceDocument } from "./representation.ts";
import { acceptsGzip, dirtyTimestamp, firstValues, form, format, name } from "./request.ts";

export type EurekaNeeds = {
  db: Database;
  now: () => number;
  reader: RegistryReader;
  sweep: () => Promise<void>;
  /** Judges an `Authorization` header. */
  verify: (header: string | undefined) => Promise<boolean>;
};

type C = Context<ShellEnv>;
type Handler = (c: C) => Promise<Response>;
type Method = "GET" | "POST" | "PUT" | "DELETE";

/** Clients have either in their URL. */
const BASES = ["/eureka", "/eureka/v2"];
const CHALLENGE = 'Basic realm="discovery"';

/**
 * Eureka's REST wire (Netflix, as of eureka-core 2). A 404 never has a body: clients before Boot 3 take one for an
 * instance, and do not register again.
 */
export function serveEureka(app: Hono<ShellEnv>, { db, now, reader, sweep, verify }: EurekaNeeds): void {
  const list = lists(reader);
  const [compressAll, compressChanges] = [gzipped(), gzipped()];

  const place = (c: C): Place => ({ app: appKey(name(c, "app")), id: name(c, "id"), now: now() });
  const done = (isThere: boolean): Response => (isThere ? empty(200) : empty(404));

  async function all(c: C): Promise<Response> {
    return listed(c, await list.all(form(c)), compressAll);
  }

  async function changes(c: C): Promise<Response> {
    return listed(c, await list.changes(form(c)), compressChanges);
  }

  /** A document is compressed once for all who ask. */
  async function listed(c: C, { name, text }: List, compress: typeof compressAll): Promise<Response> {
    return acceptsGzip(c) ? zipped(await compress(name, text), format(c)) : document(text, format(c));
  }

  async function instance(c: C, app?: string): Promise<Response> {
    const place = { app, id: name(c, "id"), now: now() };
    let entry = await findEntry(db, place);
    if (entry?.isOver) {
      await sweep();
      entry = await findEntry(db, place);
    }
    return entry ? document(instanceDocument(entry, format(c)), format(c)) : empty(404);
  }

  async function enrol(c: C): Promise<Response> {
    const { body, sent } = await registrationBody(c.req.raw);
    const registration = registrationIn(body, { app: name(c, "app"), refuse: refusing(sent) });
    if (await register(db, registration, now())) return empty(204);
    throw failure(507, "the registry is full", sent);
  }

  async function beat(c: C): Promise<Response> {
    const lastDirty = dirtyTimestamp(c);
    const isReplication = c.req.header("x-netflix-discovery-replication") === "true";
    const { app, id } = place(c);
    if (await renew(db, { app, id, lastDirty, isReplication, now: now() })) return empty(200);
    const newer = isReplication && lastDirty !== undefined ? await findEntry(db, place(c)) : undefined;
    if (newer && newer.lastDirty > lastDirty!) return document(instanceDocument(newer, format(c)), format(c), 409);
    return empty(404);
  }

  async function override(c: C): Promise<Response> {
    dirtyTimestamp(c);
    const status = statusOf(c.req.query("value"));
    if (status === undefined) throw failure(400, "value is not a status");
    return done(await setStatus(db, place(c), { status, isOverride: true }));
  }

  async function giveUpOverride(c: C): Promise<Response> {
    dirtyTimestamp(c);
    // Without one, nobody knows: UNKNOWN makes the client register again, and say it.
    const status = statusOf(c.req.query("value") ?? "UNKNOWN");
    if (status === undefined) throw failure(400, "value is not a status");
    return done(await setStatus(db, place(c), { status, isOverride: false }));
  }

  async function annotate(c: C): Promise<Response> {
    const metadata = metadataOf(firstValues(new URL(c.req.url).searchParams), refusing("json"));
    const outcome = await addMetadata(db, place(c), metadata);
    if (outcome === "unchanged") throw failure(400, "that would be too much metadata");
    return done(outcome === "changed");
  }

  const routes: Record<string, Partial<Record<Method, Handler>>> = {
    "/apps": { GET: all },
    "/apps/delta": { GET: changes },
    "/apps/:app": {
      GET: async (c) => {
        const text = await list.application(appKey(name(c, "app")), form(c));
        return text === undefined ? empty(404) : document(text, format(c));
      },
      POST: enrol,
    },
    "/apps/:app/:id": { GET: (c) => instance(c, appKey(name(c, "app"))), PUT: beat, DELETE: async (c) => done(await cancel(db, place(c))) },
    "/apps/:app/:id/status": { PUT: override, DELETE: giveUpOverride },
    "/apps/:app/:id/metadata": { PUT: annotate },
    "/instances/:id": { GET: (c) => instance(c) },
    "/vips/:vip": { GET: async (c) => document(await list.vip(c.req.param("vip") ?? "", form(c)), format(c)) },
    "/svips/:vip": { GET: async (c) => document(await list.secureVip(c.req.param("vip") ?? "", form(c)), format(c)) },
  };

  app.use("/eureka/*", async (c, next) => {
    if (!(await verify(c.req.header("authorization")))) return empty(401, { "www-authenticate": CHALLENGE });
    await next();
  });
  for (const base of BASES) {
    for (const [path, handlers] of Object.entries(routes)) mount(app, { path: `${base}${path}`, handlers });
  }
  app.all("/eureka/*", () => empty(404));
}

function mount(app: Hono<ShellEnv>, { path, handlers }: { path: string; handlers: Partial<Record<Method, Handler>> }): void {
  const allow = [...Object.keys(handlers), ...("GET" in handlers ? ["HEAD"] : []), "OPTIONS"].join(", ");
  // Clients ask for `apps/`; with a slash or without, it is the same everywhere.
  for (const at of [path, `${path}/`]) {
    for (const [method, handler] of Object.entries(handlers)) app.on(method, at, (c) => answered(handler, c));
    app.options(at, () => empty(200, { allow }));
  }
}

async function answered(handler: Handler, c: C): Promise<Response> {
  try {
    return await handler(c);
  } catch (error) {
    if (error instanceof Refusal) return error.response();
    throw error;
  }
}
