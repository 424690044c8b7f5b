import * as z from "zod";

const text = z.string().nullish();
const flag = z.boolean().nullish();

export const credentialSchema = z.object({ type: text, value: z.string().nullish(), temporary: flag });

/** The part of Keycloak's UserRepresentation that is kept; the other fields it knows are read and dropped. */
export const userSchema = z.object({
  username: text,
  email: text,
  emailVerified: flag,
  firstName: text,
  lastName: text,
  enabled: flag,
  requiredActions: z.array(z.string().max(255)).max(20).nullish(),
  credentials: z.array(credentialSchema).max(5).nullish(),
  attributes: z.record(z.string(), z.unknown()).nullish(),
});

export type UserInput = z.output<typeof userSchema>;

export const CREDENTIAL_REPRESENTATION = {
  name: "CredentialRepresentation",
  fields: new Set([
    ...Object.keys(credentialSchema.shape),
    "id", "userLabel", "createdDate", "secretData", "credentialData", "priority", "federationLink", "device", "hashedSaltedValue",
    "salt", "hashIterations", "counter", "algorithm", "digits", "period", "config",
  ]),
};

export const USER_REPRESENTATION = {
  name: "UserRepresentation",
  fields: new Set([
    ...Object.keys(userSchema.shape),
    "id", "createdTimestamp", "totp", "origin", "self", "federationLink", "serviceAccountClientId", "disableableCredentialTypes",
    "federatedIdentities", "realmRoles", "clientRoles", "clientConsents", "notBefore", "applicationRoles", "socialLinks",
    "groups", "access", "userProfileMetadata",
  ]),
};
