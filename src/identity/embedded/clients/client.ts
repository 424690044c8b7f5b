/** A client as the database keeps it; `settings` are the rest of Keycloak's ClientRepresentation. */
export type Client = {
  id: string;
  clientId: string;
  enabled: boolean;
  secret: string | null;
  settings: ClientSettings;
};

export type ClientSettings = {
  name?: string;
  description?: string;
  publicClient: boolean;
  bearerOnly: boolean;
  consentRequired: boolean;
  directAccessGrantsEnabled: boolean;
  serviceAccountsEnabled: boolean;
  webOrigins: string[];
  attributes: Record<string, string>;
  protocolMappers?: ProtocolMapper[];
  [field: string]: unknown;
};

export type ProtocolMapper = {
  id: string;
  name: string;
  protocol: string;
  protocolMapper: string;
  consentRequired: boolean;
  config: Record<string, string>;
};

/** The clients that the client's audience mappers name. */
export function mappedAudiences({ settings }: Client): string[] {
  return (settings.protocolMappers ?? [])
    .filter((mapper) => mapper.protocolMapper === "oidc-audience-mapper" && mapper.config["access.token.claim"] === "true")
    .map((mapper) => mapper.config["included.client.audience"] ?? mapper.config["included.custom.audience"] ?? "")
    .filter((audience) => audience !== "");
}
