/** Setting → what it is to be set to: credentials at real systems, which provisioning makes and keeps. */
export const PROVISIONED: Readonly<Record<string, string>> = {
  AUTH_SERVICE_CLIENT_SECRET: "the secret of the client auth-service (Keycloak, Clients, auth-service, Credentials)",
  USER_SERVICE_CLIENT_SECRET: "the secret of the client user-service (Keycloak, Clients, user-service, Credentials)",
  ADMIN_SERVICE_CLIENT_SECRET: "the secret of the client admin-service (Keycloak, Clients, admin-service, Credentials)",
  ADMIN_SERVICE_ROLE_ID: "what vault read -field=role_id auth/approle/role/admin-service/role-id prints",
  ADMIN_SERVICE_SECRET_ID: "what vault write -f -field=secret_id auth/approle/role/admin-service/secret-id prints",
  CONFIG_SERVER_ROLE_ID: "what vault read -field=role_id auth/approle/role/config-server/role-id prints",
  CONFIG_SERVER_SECRET_ID: "what vault write -f -field=secret_id auth/approle/role/config-server/secret-id prints",
};

/** The same for all settings that only who has the system can know. */
export const WHAT: Readonly<Record<string, string>> = { ...PROVISIONED, DISCOVERY_URL: "http://user:password@host:8761/eureka" };

export const ANYTHING = "its value, as README describes it";
