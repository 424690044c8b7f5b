import * as z from "zod";

const text = z.string().nullish();
const flag = z.boolean().nullish();
const texts = z.array(z.string()).max(100).nullish();

const mapperSchema = z.object({
  id: text,
  name: z.string(),
  protocol: z.string().default("openid-connect"),
  protocolMapper: z.string(),
  consentRequired: z.boolean().default(false),
  config: z.record(z.string(), z.string()).default({}),
});

/** Keycloak's ClientRepresentation; what this server does not act on is kept and given back. */
export const clientSchema = z.object({
  clientId: text,
  name: text,
  description: text,
  rootUrl: text,
  baseUrl: text,
  adminUrl: text,
  surrogateAuthRequired: flag,
  enabled: flag,
  alwaysDisplayInConsole: flag,
  clientAuthenticatorType: text,
  secret: text,
  redirectUris: texts,
  webOrigins: texts,
  notBefore: z.number().nullish(),
  bearerOnly: flag,
  consentRequired: flag,
  standardFlowEnabled: flag,
  implicitFlowEnabled: flag,
  directAccessGrantsEnabled: flag,
  serviceAccountsEnabled: flag,
  publicClient: flag,
  frontchannelLogout: flag,
  protocol: text,
  attributes: z.record(z.string(), z.string().nullable()).nullish(),
  fullScopeAllowed: flag,
  nodeReRegistrationTimeout: z.number().nullish(),
  protocolMappers: z.array(mapperSchema).max(50).nullish(),
  defaultClientScopes: texts,
  optionalClientScopes: texts,
});

export type ClientInput = z.output<typeof clientSchema>;

export const CLIENT_REPRESENTATION = {
  name: "ClientRepresentation",
  fields: new Set([
    ...Object.keys(clientSchema.shape),
    "id", "type", "registrationAccessToken", "defaultRoles", "authorizationServicesEnabled", "authorizationSettings",
    "authenticationFlowBindingOverrides", "registeredNodes", "clientTemplate", "useTemplateConfig", "useTemplateScope",
    "useTemplateMappers", "access", "origin", "directGrantsOnly",
  ]),
};
