import { answer, done, iso } from "../answer.ts";
import { type Body, countField, flagField } from "../body.ts";
import { badRequest, denied, nothingHere } from "../refusal.ts";
import type { Handler } from "../routes.ts";
import { isObject } from "./merge.ts";
import { insertSettings, type Settings, updateSettings } from "./metadata-store.ts";
import { deleteDocument, findVersions, listBelow, MAX_VERSIONS } from "./store.ts";
import { checkPath } from "./write.ts";

const MAX_KEYS = 10_000;
const MAX_TRIES = 10;

export const readMetadata: Handler = async ({ server, params: [path = ""] }) => {
  const found = await findVersions(server.db, path);
  if (!found) throw nothingHere();
  const oldest = found.currentVersion - (found.maxVersions || MAX_VERSIONS) + 1;
  return answer(server, {
    cas_required: found.isCasRequired,
    created_time: iso(found.created),
    current_version: found.currentVersion,
    custom_metadata: found.customMetadata,
    delete_version_after: "0s",
    max_versions: found.maxVersions,
    oldest_version: oldest > 1 ? oldest : 0,
    updated_time: iso(found.updated),
    versions: Object.fromEntries(
      found.versions.map(({ version, created, deleted, isDestroyed }) => [
        version,
        { created_time: iso(created), deletion_time: deleted === null ? "" : iso(deleted), destroyed: isDestroyed },
      ]),
    ),
  });
};

export const listMetadata: Handler = async ({ server, params: [folder = ""], query }) => {
  const limit = query.get("limit") ?? "0";
  if (!/^-?\d{1,9}$/.test(limit)) throw badRequest(`Field validation failed: error converting input for field "limit": cannot parse value as 'int'`);
  const keys = await listBelow(server.db, folder, { after: query.get("after") ?? "", limit: Number(limit) > 0 ? Number(limit) : MAX_KEYS });
  if (keys.length === 0) throw nothingHere();
  return answer(server, { keys });
};

export const writeMetadata: Handler = async ({ server, params: [path = ""], body, may }) => {
  checkPath(path);
  const settings = settingsIn(await body());
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const now = server.now();
    if (await findVersions(server.db, path)) {
      if (!may.update) throw denied();
      if (await updateSettings(server.db, path, { settings, now })) return done(server);
    } else {
      if (!may.create) throw denied();
      if (await insertSettings(server.db, { id: server.newId(), path, now }, settings)) return done(server);
    }
  }
  throw new Error("Cannot write metadata: others kept making and deleting the path");
};

export const deleteMetadata: Handler = async ({ server, params: [path = ""] }) => {
  await deleteDocument(server.db, path);
  return done(server);
};

function settingsIn(body: Body): Settings {
  const after = body["delete_version_after"];
  if (after !== undefined && after !== "0s" && after !== 0) throw badRequest("delete_version_after is not supported by this server");
  const max = countField(body, "max_versions");
  if (max !== undefined && max > MAX_VERSIONS) throw badRequest(`max_versions is more than this server keeps (${MAX_VERSIONS})`);
  const isCasRequired = flagField(body, "cas_required");
  return {
    ...(max !== undefined && { max_versions: max }),
    ...(isCasRequired !== undefined && { is_cas_required: isCasRequired }),
    ...("custom_metadata" in body && { custom_metadata: customMetadata(body["custom_metadata"]) }),
  };
}

function customMetadata(given: unknown): Record<string, string> | null {
  if (given === null) return null;
  const isValid = isObject(given) && Object.keys(given).length <= 64 && Object.entries(given).flat().every(isStorable);
  if (!isValid) throw badRequest("custom_metadata validation failed");
  return given as Record<string, string>;
}

function isStorable(value: unknown): boolean {
  return typeof value === "string" && value.length <= 512 && !value.includes("\0") && value.isWellFormed();
}
