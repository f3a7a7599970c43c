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

// followed returns the store of the service: the file, or the file with the graph stores
// that follow it. following reports the state of each, and is nil if there are none.
func followed(s *persist.Store, c *config.Config, stores []config.GraphStore, log *logs.Buffer) (_ serviceStore, following func() []store.Following) {
	if len(stores) == 0 {
		return s, nil
	}
	var followers []remote.Config
	for _, g := range stores {
		f := remote.Config{Product: "the SPARQL server"}
		if g.Kind == "virtuoso" {
			f = virtuoso.Configure()
		}
		if c.Stores != "" {
			f.Product = g.Name
		}
		f.Name, f.Query, f.Update, f.GraphStore, f.Graph = g.Name, g.Query, g.Update, g.GraphStore, g.Graph
		f.User, f.Password, f.PasswordFrom, f.TokenFile, f.Timeout = g.User, g.Password, g.PasswordFrom, g.TokenFile, c.StoreTimeout
		followers = append(followers, f)
	}
	r := remote.Follow(s.Store, s.Outbox, remote.Options{Strict: c.StoreStrict, Log: log.Logger("segraph.remote")}, followers...)
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
func storeName(stores []config.GraphStore) string {
	switch {
	case len(stores) == 0:
		return "cayley"
	case slices.ContainsFunc(stores, func(s config.GraphStore) bool { return s.Kind != stores[0].Kind }):
		return "stores"
	}
	return stores[0].Kind
}
