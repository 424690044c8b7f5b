// Made by policies/bundle.ts from the files in policies/: change those.

/** Service → the text of its `{service}-policy.hcl`, for the platform's own services. */
export const bundledPolicies: Readonly<Record<string, string>> = {
  "admin-service": `# What a token of the AppRole "admin-service" may do: read its own secrets. Its rights over AppRoles, secrets and policies are
# another policy, which this service cannot write: else it could give itself more.
path "secret/data/platform/admin-service/dev" {
  capabilities = ["read"]
}
`,
  "auth-service": `# What a token of the AppRole "auth-service" may do: read its own secrets. Renewing itself comes with the built-in "default".
path "secret/data/platform/auth-service/dev" {
  capabilities = ["read"]
}
`,
  "gateway": `# What a token of the AppRole "gateway" may do: read its own secrets. Renewing itself comes with the built-in "default".
path "secret/data/platform/gateway/dev" {
  capabilities = ["read"]
}
`,
  "user-service": `# What a token of the AppRole "user-service" may do: read its own secrets. Renewing itself comes with the built-in "default".
path "secret/data/platform/user-service/dev" {
  capabilities = ["read"]
}
`,
};
