# What a token of the AppRole "auth-service" may do: read its own secrets. Renewing itself comes with the built-in "default".
path "secret/data/platform/auth-service/dev" {
  capabilities = ["read"]
}
