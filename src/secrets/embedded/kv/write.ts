import { badRequest, oneError, refuse } from "../refusal.ts";
import type { Exchange } from "../routes.ts";
import type { Body } from "../body.ts";
import { type Content, sealContent, versionMetadata } from "./content.ts";
import { isObject } from "./merge.ts";
import type { Server } from "../server.ts";
import { addVersion, findDocument, type Found, insertDocument } from "./store.ts";

/** More than a caller waits for. */
const MAX_TRIES = 100;
/** Within what Vault on raft takes and what our client reads, 1 MiB with all that stands around it. */
const MAX_DOCUMENT_BYTES = 1_000_000;
const MAX_PATH_CHARACTERS = 1024;

type Compose = (found: Found | undefined) => Promise<Content>;

export type Write = { cas: Cas; compose: Compose };

/** Adds the version that `compose` makes of what is there, and answers its metadata. */
export function writeVersion({ server, params: [path = ""] }: Exchange, write: Write) {
  checkPath(path);
  return server.inTurn(path, () => tryToWrite(server, path, write));
}

/**
 * Sealing needs the number of the version before the statement gives it, so the statement only holds for that one, and a
 * writer who comes second begins again: nothing is lost.
 */
async function tryToWrite(server: Server, path: string, { cas, compose }: Write) {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const began = server.now();
    const found = await findDocument(server.db, path);
    const content = await compose(found);
    checkCas(found, cas);
    const at = found ?? { id: server.newId(), path, currentVersion: 0, customMetadata: null };
    const version = at.currentVersion + 1;
    const sealed = await sealContent(server, at, { version, content: checkedSize(content) });
    const now = server.now();
    const isStored = found ? await addVersion(server.db, found, { sealed, now }) : await insertDocument(server.db, at, { sealed, now });
    if (isStored) return versionMetadata(at, { version, created: now, deleted: null, isDestroyed: false });
    if (cas.given) throw conflict();
    await server.backOff(tries, { milliseconds: server.now() - began });
  }
  throw new Error("Cannot write a version: others kept writing");
}

/** `given` is false when the caller did not say. */
export type Cas = { given: boolean; version: number };

/** The `options.cas` of a body. */
export function casIn(body: Body): Cas {
  const options = body["options"];
  if (options === undefined || options === null) return { given: false, version: 0 };
  if (!isObject(options)) throw badRequest(`error converting input for field "options": expected a map`);
  if (!Object.hasOwn(options, "cas")) return { given: false, version: 0 };
  const cas = options["cas"];
  if (typeof cas === "string" && !/^-?\d{1,9}$/.test(cas)) throw badRequest("error parsing check-and-set parameter");
  return { given: true, version: cas === null ? -1 : Number(cas) };
}

function checkCas(found: Found | undefined, { given, version }: Cas): void {
  if (!given && found?.isCasRequired) throw badRequest("check-and-set parameter required for this call");
  if (given && version !== (found?.currentVersion ?? 0)) throw conflict();
}

function conflict() {
  return badRequest("check-and-set parameter did not match the current version");
}

/** The `data` of a body; null is taken, as upstream, and blanks the document. */
export function dataIn(body: Body): Content {
  if (!Object.hasOwn(body, "data")) throw badRequest("no data provided");
  const data = body["data"];
  if (data === null || isObject(data)) return data;
  throw badRequest(`error converting input for field "data": '' expected a map`);
}

export function warningsOf(body: Body): string[] {
  const unknown = Object.keys(body).filter((name) => !["data", "options", "version"].includes(name)).length;
  return unknown > 0 ? ["Endpoint ignored unrecognized parameters"] : [];
}

function checkedSize(content: Content): Content {
  if (new TextEncoder().encode(JSON.stringify(content)).byteLength <= MAX_DOCUMENT_BYTES) return content;
  throw oneError(500, `put failed due to value being too large; got more than ${MAX_DOCUMENT_BYTES} bytes`);
}

export function checkPath(path: string): void {
  if (path === "" || path.endsWith("/")) throw badRequest("cannot write to a path ending in '/'");
  if (path.length > MAX_PATH_CHARACTERS) throw refuse(400, `path is longer than maximum of ${MAX_PATH_CHARACTERS} characters`);
}
