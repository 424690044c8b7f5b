# What a token of the AppRole "admin-service" may do: read its own secrets. Its rights over AppRoles, secrets and policies are
# another policy, which this service cannot write: else it could give itself more.
path "secret/data/platform/admin-service/dev" {
  capabilities = ["read"]
}
