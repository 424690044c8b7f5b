// Made by configuration/bundle.ts from the files in configuration/: change those.

/** Name → the text of each file, for the platform's own services. */
export const bundledConfiguration: Readonly<Record<string, string>> = {
  "admin-service.yml": `# How long the secret-id of an AppRole lasts before it has to be made anew.
secret-id-ttl: 720h
`,
  "application.yml": `# What every application is told that asks the configuration server; its own file, such as user-service.yml, wins over this one.
# A name here is a setting of the environment: token.timeout-ms is TOKEN_TIMEOUT_MS, and what the environment sets wins.
# What the process itself starts from is only read there: HOST, ports, data, log, IDENTITY_REALM and the URLs of what it embeds.
# Secrets do not belong here, but into the secrets store, at secret/platform/{application}/{profile}.
# token:
#   How long one call of the identity provider's token endpoint may take: it hashes a password.
#   timeout-ms: 2000
# database:
#   How long one statement may take.
#   timeout-ms: 1000
`,
  "auth-service.yml": `legacy:
  # Whether GET /api/auth/authenticate is offered: its credentials end up in logs. "off" once nobody calls it any more.
  get-login: "on"
# service:
#   How long one call of the user service may take.
#   timeout-ms: 1000
`,
  "discovery-service.yml": `discovery:
  # Whether instances stay registered when most of them fall silent at once: then it is rather the network.
  self-preservation: "on"
`,
  "gateway.yml": `rate:
  # Requests a minute to the public doors from one address, counted by all instances together …
  limit-per-minute: 600
  # … and by each for itself where there is no Redis.
  limit-local-per-minute: 300
`,
  "user-service.yml": `# The user service's own settings, such as
# dormant:
#   Days without a sign-in after which a user is dormant; never unless given.
#   after-days: 365
`,
};
