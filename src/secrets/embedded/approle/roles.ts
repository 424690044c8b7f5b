import { answer, done } from "../answer.ts";
import { badRequest, denied, nothingHere } from "../refusal.ts";
import type { Handler } from "../routes.ts";
import { DEFAULT_SETTINGS, isTtlAboveMax, roleDocument, settingsIn, ttlAboveMax, warningsOf } from "./role.ts";
import { deleteRole, findRole, insertRole, listRoleNames, updateRole } from "./role-store.ts";

const MAX_NAME_CHARACTERS = 512;
const MAX_TRIES = 10;

export const listRoles: Handler = async ({ server }) => {
  const keys = await listRoleNames(server.db);
  if (keys.length === 0) throw nothingHere();
  return answer(server, { keys });
};

export const readRole: Handler = async ({ server, params: [name = ""] }) => {
  const role = await findRole(server.db, name.toLowerCase());
  if (!role) throw nothingHere();
  return answer(server, roleDocument(role.settings));
};

/** Creates or changes, and only as far as the token may: who may not update never writes over what another has just made. */
export const writeRole: Handler = async ({ server, params: [given = ""], body, may }) => {
  const name = given.toLowerCase();
  if (name.length > MAX_NAME_CHARACTERS) throw badRequest(`role_name is longer than maximum of ${MAX_NAME_CHARACTERS} bytes`);
  const changes = settingsIn(await body());
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const found = await findRole(server.db, name);
    if (!(found ? may.update : may.create)) throw denied();
    const settings = { ...(found?.settings ?? DEFAULT_SETTINGS), ...changes };
    if (isTtlAboveMax(settings)) throw ttlAboveMax();
    const isStored = found
      ? await updateRole(server.db, name, changes)
      : await insertRole(server.db, { name, roleId: server.newId(), settings });
    if (isStored) return done(server, warningsOf(changes));
  }
  throw new Error("Cannot write a role: others kept changing it");
};

export const removeRole: Handler = async ({ server, params: [name = ""] }) => {
  await deleteRole(server.db, name.toLowerCase());
  return done(server);
};

export const readRoleId: Handler = async ({ server, params: [name = ""] }) => {
  const role = await findRole(server.db, name.toLowerCase());
  if (!role) throw nothingHere();
  return answer(server, { role_id: role.roleId });
};
