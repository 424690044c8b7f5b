# What a token of the AppRole "gateway" may do: read its own secrets. Renewing itself comes with the built-in "default".
path "secret/data/platform/gateway/dev" {
  capabilities = ["read"]
}
