import { answer, done, envelope, json } from "../answer.ts";
import { badRequest, denied, nothingHere, oneError, Refusal, refuse } from "../refusal.ts";
import type { Exchange, Handler } from "../routes.ts";
import { contentOf, isReadable, versionMetadata } from "./content.ts";
import { mergePatch, subkeys } from "./merge.ts";
import { destroyVersions, findDocument, type Found, markDeleted, unmarkDeleted } from "./store.ts";
import { casIn, dataIn, warningsOf, writeVersion } from "./write.ts";

export const readData: Handler = (exchange) => readVersion(exchange, (data) => ({ data }));

export const readSubkeys: Handler = (exchange) => {
  const depth = integer(exchange.query.get("depth"), "depth");
  return readVersion(exchange, (data) => ({ subkeys: data && subkeys(data, Math.max(0, depth)) }));
};

async function readVersion({ server, params: [path = ""], query }: Exchange, show: (data: Record<string, unknown> | null) => object): Promise<Response> {
  const version = Math.max(0, integer(query.get("version"), "version"));
  const found = await findDocument(server.db, path, version);
  if (!found?.chosen) throw nothingHere();
  const opened = await contentOf(server, found);
  const shown = envelope(server, { ...show(opened?.content ?? null), metadata: versionMetadata(found, found.chosen) });
  return json(shown, isReadable(found.chosen) ? 200 : 404);
}

export const putData: Handler = async (exchange) => {
  const { server, body, may } = exchange;
  const sent = await body();
  const written = await writeVersion(exchange, {
    cas: casIn(sent),
    compose: async (found) => {
      if (!(found ? may.update : may.create)) throw denied();
      return dataIn(sent);
    },
  });
  return answer(server, written, { warnings: warningsOf(sent) });
};

export const patchData: Handler = async (exchange) => {
  const { server, body, headers } = exchange;
  checkMediaType(headers.get("content-type"));
  const sent = await body();
  const data = dataIn(sent);
  const written = await writeVersion(exchange, {
    cas: casIn(sent),
    compose: async (found) => {
      const current = await patchable(exchange, found);
      return data && (mergePatch(current, data) as Record<string, unknown>);
    },
  });
  return answer(server, written, { warnings: warningsOf(sent) });
};

async function patchable({ server }: Exchange, found: Found | undefined): Promise<Record<string, unknown>> {
  if (!found?.chosen) throw new Refusal(404);
  const opened = await contentOf(server, found);
  if (!opened) throw new Refusal(404, envelope(server, versionMetadata(found, found.chosen)));
  if (opened.content === null) throw oneError(500, "resource does not exist");
  return opened.content;
}

function checkMediaType(given: string | null): void {
  const type = given?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (type === "") throw badRequest("mime: no media type");
  if (type !== "application/merge-patch+json") throw refuse(415, "PATCH requires Content-Type of application/merge-patch+json");
}

export const deleteData: Handler = async ({ server, params: [path = ""] }) => {
  await markDeleted(server.db, path, { now: server.now() });
  return done(server);
};

export const deleteVersions: Handler = async (exchange) => {
  const { server, params: [path = ""] } = exchange;
  await markDeleted(server.db, path, { versions: await versionsIn(exchange), now: server.now() });
  return done(server);
};

export const undeleteVersions: Handler = async (exchange) => {
  await unmarkDeleted(exchange.server.db, exchange.params[0] ?? "", await versionsIn(exchange));
  return done(exchange.server);
};

export const destroy: Handler = async (exchange) => {
  await destroyVersions(exchange.server.db, exchange.params[0] ?? "", await versionsIn(exchange));
  return done(exchange.server);
};

async function versionsIn({ body }: Exchange): Promise<number[]> {
  const given = (await body())["versions"];
  const list = Array.isArray(given) ? given.map(Number) : [];
  if (list.length === 0) throw badRequest("no version number provided");
  if (list.length > 1000 || !list.every((version) => Number.isInteger(version) && version > 0)) throw badRequest(`error converting input for field "versions"`);
  return list;
}

function integer(given: string | null, name: string): number {
  if (given === null) return 0;
  if (/^-?\d{1,9}$/.test(given)) return Number(given);
  throw badRequest(`Field validation failed: error converting input for field "${name}": cannot parse value as 'int'`);
}
