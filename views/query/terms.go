package query

import (
	"net/http"
	"sync"
	"time"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/views"
)

// declarations returns candidate namespaces for a prefix of a query.
func (u *handlers) declarations(label string) []views.Declaration {
	var out []views.Declaration
	for _, p := range u.Prefixes(nil) {
		if p.Label == label {
			out = append(out, views.Declaration{Prefix: label + ":", Namespace: p.Namespace})
		}
	}
	return out
}

// queryTerms are the names that the editor completes.
type queryTerms struct {
	Functions  []string          `json:"functions"`
	Prefixes   []termPrefix      `json:"prefixes"`
	Classes    []views.TermCount `json:"classes"`
	Predicates []views.TermCount `json:"predicates"`
}

type termPrefix struct {
	Label     string `json:"label"`
	Namespace string `json:"namespace"`
}

const termsLife = 30 * time.Second // how long they are cached

// termsCache caches counted names. A request that counts holds the lock, so that others
// wait for its result.
type termsCache struct {
	sync.Mutex
	at    time.Time
	terms *queryTerms
}

// getQueryTerms writes, as JSON, the functions of SPARQL and the prefixes, classes and
// predicates of the graph, with the number of their uses.
func (u *handlers) getQueryTerms(w http.ResponseWriter, r *http.Request, _ *views.Visit) error {
	u.terms.Lock()
	defer u.terms.Unlock()
	if now := u.Config.Now(); u.terms.terms == nil || now.Sub(u.terms.at) >= termsLife {
		found := &queryTerms{Functions: syntax.Functions()}
		for _, p := range u.Prefixes(nil) {
			found.Prefixes = append(found.Prefixes, termPrefix(p))
		}
		var err error
		if found.Classes, err = u.CountTerms(r.Context(), "SELECT ?c (COUNT(*) AS ?n) { ?s a ?c } GROUP BY ?c"); err != nil {
			return err
		}
		if found.Predicates, err = u.CountTerms(r.Context(), "SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p"); err != nil {
			return err
		}
		u.terms.at, u.terms.terms = now, found
	}
	return front.WriteJSON(w, http.StatusOK, u.terms.terms)
}
