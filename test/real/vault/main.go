// A Vault server with what the tests use of it and nothing else: tokens, policies, AppRole and KV, over HTTP, kept in memory
// or in files. Vault has no ready binary in the package registries; this is its core and its HTTP handler, unchanged.
// A tool of the tests, under Vault's own licence, and no part of what is shipped.
package main

import (
	"flag"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	log "github.com/hashicorp/go-hclog"
	kv "github.com/hashicorp/vault-plugin-secrets-kv"
	"github.com/hashicorp/vault/builtin/credential/approle"
	"github.com/hashicorp/vault/command/server"
	vaulthttp "github.com/hashicorp/vault/http"
	"github.com/hashicorp/vault/internalshared/configutil"
	"github.com/hashicorp/vault/sdk/helper/consts"
	"github.com/hashicorp/vault/sdk/logical"
	"github.com/hashicorp/vault/sdk/physical"
	"github.com/hashicorp/vault/sdk/physical/file"
	"github.com/hashicorp/vault/sdk/physical/inmem"
	"github.com/hashicorp/vault/vault"
)

var (
	credentialBackends = map[string]logical.Factory{"approle": approle.Factory}
	logicalBackends    = map[string]logical.Factory{"kv": kv.Factory}
)

func main() {
	address := flag.String("address", "127.0.0.1:8200", "where to listen")
	folder := flag.String("folder", "", "where to keep data; in memory without it")
	flag.Parse()

	logger := log.New(&log.LoggerOptions{Level: log.Warn, Output: os.Stderr})
	core := must(vault.NewCore(&vault.CoreConfig{
		RawConfig:          &server.Config{SharedConfig: &configutil.SharedConfig{}},
		Physical:           storage(*folder, logger),
		Logger:             logger,
		DisableMlock:       true,
		RedirectAddr:       "http://" + *address,
		BuiltinRegistry:    builtIns{},
		LogicalBackends:    logicalBackends,
		CredentialBackends: credentialBackends,
	}))
	listener := must(net.Listen("tcp", *address))
	handler := vaulthttp.Handler.Handler(&vault.HandlerProperties{
		Core:           core,
		ListenerConfig: &configutil.Listener{Type: "tcp", Address: *address},
	})
	http := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, ErrorLog: logger.StandardLogger(nil)}
	go http.Serve(listener)

	ending := make(chan os.Signal, 1)
	signal.Notify(ending, syscall.SIGINT, syscall.SIGTERM)
	<-ending
	core.Shutdown()
	http.Close()
}

func storage(folder string, logger log.Logger) physical.Backend {
	if folder == "" {
		return must(inmem.NewInmem(nil, logger))
	}
	return must(file.NewFileBackend(map[string]string{"path": folder}, logger))
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Default().Error("Cannot start", "error", err)
		os.Exit(1)
	}
	return value
}

// builtIns is what Vault looks its own plugins up in.
type builtIns struct{}

func backends(kind consts.PluginType) map[string]logical.Factory {
	switch kind {
	case consts.PluginTypeCredential:
		return credentialBackends
	case consts.PluginTypeSecrets:
		return logicalBackends
	}
	return nil
}

func (builtIns) Get(name string, kind consts.PluginType) (func() (interface{}, error), bool) {
	factory, isThere := backends(kind)[name]
	return func() (interface{}, error) { return factory, nil }, isThere
}

func (builtIns) Contains(name string, kind consts.PluginType) bool {
	_, isThere := backends(kind)[name]
	return isThere
}

func (builtIns) Keys(kind consts.PluginType) []string {
	names := []string{}
	for name := range backends(kind) {
		names = append(names, name)
	}
	return names
}

func (b builtIns) DeprecationStatus(name string, kind consts.PluginType) (consts.DeprecationStatus, bool) {
	if b.Contains(name, kind) {
		return consts.Supported, true
	}
	return consts.Unknown, false
}

func (builtIns) IsBuiltinEntPlugin(string, consts.PluginType) bool { return false }
