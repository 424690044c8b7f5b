# What a token of the AppRole "user-service" may do: read its own secrets. Renewing itself comes with the built-in "default".
path "secret/data/platform/user-service/dev" {
  capabilities = ["read"]
}
