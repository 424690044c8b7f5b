const SHARED = "file:/etc/configuration/application.yml";
const OWN = "file:/etc/configuration/user-service-dev.yml";

const envelope = { name: "user-service", profiles: ["dev"], label: null, version: null, state: null };

export const environment = {
  ...envelope,
  propertySources: [
    { name: OWN, source: { "database.timeout-ms": 1000 } },
    { name: SHARED, source: { "identity.realm": "platform", "token.timeout-ms": 2000 } },
  ],
};

export const environmentWithOrigins = {
  ...envelope,
  propertySources: [
    { name: OWN, source: { "database.timeout-ms": { value: 1000, origin: "2:15" } } },
    { name: SHARED, source: { "identity.realm": { value: "platform", origin: "2:10" }, "token.timeout-ms": { value: 2000, origin: "5:15" } } },
  ],
};

export const files = {
  yml: "identity:\n  realm: platform\ntoken:\n  timeout-ms: 2000\ndatabase:\n  timeout-ms: 1000\n",
  properties: "identity.realm: platform\ntoken.timeout-ms: 2000\ndatabase.timeout-ms: 1000",
  json: { identity: { realm: "platform" }, token: { "timeout-ms": 2000 }, database: { "timeout-ms": 1000 } },
};

export const plainFile = "server identity.example.com;\n";
