package app

import (
	"fmt"
	"slices"
	"strings"

	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/logs"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/follow/remote"
	"github.com/segraph/segraph/store/follow/virtuoso"
)

// serviceStore is the store of a service. *persist.Store and *remote.Store implement it.
type serviceStore interface {
	store.Graph
	service.Querier
	Close() error
}

// followed returns the store of the service: the file, or the file with the graph store
// that follows it. following reports the state of the graph store, and is nil if there is
// none.
func followed(s *persist.Store, follower *remote.Config, log *logs.Buffer) (_ serviceStore, following func() store.Following) {
	if follower == nil {
		return s, nil
	}
	follower.Log = log.Logger("segraph.remote")
	r := remote.Follow(s.Store, s.Outbox, *follower)
	return r, r.Following
}

// TextIndex returns the setting of the index of texts.
func TextIndex(c *config.Config) engine.TextIndex {
	if c.TextIndex {
		return engine.TextIndexOn
	}
	return engine.TextIndexOff
}

// commonPasswords are default passwords of graph stores, or those in their guides.
var commonPasswords = []string{"dba", "dav", "admin", "administrator", "root", "fuseki", "graphdb", "stardog", "virtuoso",
	"password", "passwd", "pw", "secret", "changeme", "change-this-password", "test", "123456"}

// guessable says why the password of a graph store is easy to guess. It returns "" if it
// is not.
func guessable(user, password string) string {
	word := strings.ToLower(password)
	switch {
	case password == "":
		return ""
	case strings.EqualFold(user, password):
		return fmt.Sprintf("the password of the user %s is the user's name", user)
	case slices.Contains(commonPasswords, word):
		return "the password of the graph store is a well-known one"
	}
	return ""
}

// storeName returns the name of the store in /healthz/ready.
func storeName(c *config.Config) string {
	if c.Store == "embedded" {
		return "cayley"
	}
	return c.Store
}

// followerOf returns the configuration of the graph store in the settings, or nil.
func followerOf(c *config.Config) (*remote.Config, error) {
	switch c.Store {
	case "virtuoso":
		if c.TriplestorePassword == "" {
			return nil, &config.Error{Msg: "the store virtuoso needs a password, but TRIPLESTORE_PASSWORD is not set",
				Hint: "Set it to Virtuoso's password."}
		}
		v := virtuoso.Configure(c.VirtuosoURL, c.VirtuosoUser, c.TriplestorePassword, c.VirtuosoGraph)
		v.Strict, v.Timeout = c.StoreStrict, c.StoreTimeout
		return &v, nil
	case "sparql":
		if c.SPARQLQueryURL == "" || c.SPARQLUpdateURL == "" {
			return nil, &config.Error{Msg: "the store sparql needs the addresses for queries and for updates",
				Hint: "Set SEGRAPH_SPARQL_QUERY_URL and SEGRAPH_SPARQL_UPDATE_URL."}
		}
		return &remote.Config{Product: "the SPARQL server", Query: c.SPARQLQueryURL, Update: c.SPARQLUpdateURL, GraphStore: c.GraphStoreURL,
			User: c.SPARQLUser, Password: c.TriplestorePassword, Graph: c.SPARQLGraph, Strict: c.StoreStrict, Timeout: c.StoreTimeout}, nil
	}
	return nil, nil
}
