package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/segraph/segraph/internal/config"
	"github.com/segraph/segraph/internal/logbuf"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/remote"
	"github.com/segraph/segraph/store/virtuoso"
)

// serviceStore is what the service wants of a store. persist.Store is one, and
// remote.Store.
type serviceStore interface {
	store.Graph
	service.Querier
	Close() error
}

// followed returns the store that the service works on: the file itself, or the file and
// the graph store that follows it. following reports how that stands to the file; it is
// nil if there is none.
func followed(s *persist.Store, follower *remote.Config, log *logbuf.Buffer) (_ serviceStore, following func() store.Following) {
	if follower == nil {
		return s, nil
	}
	follower.Log = log.Logger("segraph.remote")
	r := remote.Follow(s.Store, s.Outbox, *follower)
	return r, r.Following
}

// textIndex returns what becomes of the file's index of texts.
func textIndex(c *config.Config) engine.TextIndex {
	if c.TextIndex {
		return engine.TextIndexOn
	}
	return engine.TextIndexOff
}

// commonPasswords are those that graph stores are shipped with, or that their guides show.
var commonPasswords = []string{"dba", "dav", "admin", "administrator", "root", "fuseki", "graphdb", "stardog", "virtuoso",
	"password", "passwd", "pw", "secret", "changeme", "change-this-password", "test", "123456"}

// guessable says why the password of a graph store can be guessed, "" where it is no
// well-known one.
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

// storeName returns how /healthz/ready names the store.
func storeName(c *config.Config) string {
	if c.Store == "embedded" {
		return "cayley"
	}
	return c.Store
}

// followerOf returns the graph store that the settings name, nil for none.
func followerOf(c *config.Config) (*remote.Config, error) {
	switch c.Store {
	case "virtuoso":
		if c.TriplestorePassword == "" {
			return nil, &config.Error{Msg: "the store virtuoso needs a password, and TRIPLESTORE_PASSWORD is not set",
				Hint: "Set it to the one that Virtuoso was created with."}
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
