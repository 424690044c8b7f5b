# One server on its own volume. It starts sealed: who operates it unseals it after every start (README), or adds a `seal`
# of a key service here, which does so by itself.
disable_mlock = true # integrated storage maps its file; keep swap off or encrypted
api_addr      = "http://vault:8200"
cluster_addr  = "https://vault:8201"

storage "raft" {
  path    = "/vault/file"
  node_id = "vault"
}

# Without TLS: the network is internal, and only the services of compose.yaml are on it.
listener "tcp" {
  address     = "0.0.0.0:8200"
  tls_disable = true
}
