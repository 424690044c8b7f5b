import type { User } from "./user.ts";

export type UserAccess = { manage: boolean; [permission: string]: boolean };

/** Keycloak's UserRepresentation; `access` is what the caller may do with the user. */
export function userRepresentation(user: User, access?: UserAccess) {
  return {
    id: user.id,
    username: user.username,
    ...(user.firstName && { firstName: user.firstName }),
    ...(user.lastName && { lastName: user.lastName }),
    ...(user.email && { email: user.email }),
    emailVerified: user.emailVerified,
    enabled: user.enabled,
    createdTimestamp: user.createdTimestamp,
    totp: false,
    disableableCredentialTypes: [],
    requiredActions: user.requiredActions,
    notBefore: 0,
    ...(access && { access }),
  };
}

/** The permissions that Keycloak lists with a single user. */
export function detailedAccess(manage: boolean): UserAccess {
  return { manageGroupMembership: manage, resetPassword: manage, view: true, mapRoles: manage, impersonate: false, manage };
}
