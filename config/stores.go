package config

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/segraph/segraph/internal/strictyaml"
)

// GraphStore is a graph store that follows the file, and a row of the file of SEGRAPH_STORES.
type GraphStore struct {
	Name, Kind, Query, Update, User, Graph string // Kind is "virtuoso" or "sparql"; Query and Update are URLs; User may be ""

	GraphStore   string `yaml:"graph_store"`   // a URL, or ""
	PasswordFile string `yaml:"password_file"` // or ""
	TokenFile    string `yaml:"token_file"`    // with a Bearer token, in place of the user; or ""

	Password, PasswordFrom string `yaml:"-"` // of the user, and what people call its place
}

const (
	passwordVariable = "TRIPLESTORE_PASSWORD"
	defaultGraph     = "urn:segraph:log" // name of the published graph at a graph store
)

// maxGraphStores is how many graph stores may follow. Each change is sent to all.
const maxGraphStores = 16

// GraphStores returns the graph stores that follow the file: those of the file of
// SEGRAPH_STORES, the one of SEGRAPH_STORE, or none. It reads the files of passwords. The error
// is an *Error.
func (c *Config) GraphStores() ([]GraphStore, error) {
	one := GraphStore{Name: c.Store, Kind: c.Store, Password: c.TriplestorePassword, PasswordFrom: passwordVariable}
	switch {
	case c.Stores != "" && (c.Store == "virtuoso" || c.Store == "sparql"):
		return nil, &Error{Msg: "SEGRAPH_STORE and SEGRAPH_STORES are both set", Hint: "Name all graph stores in the file of SEGRAPH_STORES, and remove SEGRAPH_STORE."}
	case c.Stores != "":
		list, err := readGraphStores(c.Stores, one.Password)
		if err != nil {
			return nil, &Error{Msg: fmt.Sprintf("the graph stores in %s: %v", c.Stores, err), Hint: "docs/graph-stores.md has an example."}
		}
		return list, nil
	case c.Store == "virtuoso":
		if one.Password == "" {
			return nil, &Error{Msg: "the store virtuoso needs a password, but " + passwordVariable + " is not set",
				Hint: "Set it to Virtuoso's password."}
		}
		base := strings.TrimSuffix(c.VirtuosoURL, "/")
		one.Query, one.Update, one.GraphStore = base+"/sparql", base+"/sparql-auth", base+"/sparql-graph-crud-auth"
		one.User, one.Graph = c.VirtuosoUser, c.VirtuosoGraph
	case c.Store == "sparql":
		if c.SPARQLQueryURL == "" || c.SPARQLUpdateURL == "" {
			return nil, &Error{Msg: "the store sparql needs the addresses for queries and for updates",
				Hint: "Set SEGRAPH_SPARQL_QUERY_URL and SEGRAPH_SPARQL_UPDATE_URL."}
		}
		one.Query, one.Update, one.GraphStore = c.SPARQLQueryURL, c.SPARQLUpdateURL, c.GraphStoreURL
		one.User, one.Graph = c.SPARQLUser, c.SPARQLGraph
	default: // also of a command without this setting
		return nil, nil
	}
	return []GraphStore{one}, nil
}

// readGraphStores reads a YAML list of graph stores. password is for users without a file.
func readGraphStores(path, password string) (list []GraphStore, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if err := strictyaml.Decode(text, &list); err != nil {
		return nil, err
	}
	if len(list) == 0 || len(list) > maxGraphStores {
		return nil, fmt.Errorf("it lists %d; 1 to %d are allowed", len(list), maxGraphStores)
	}
	rows := map[string]int{} // by name and address
	for i := range list {
		s := &list[i]
		if err := cmp.Or(s.check(), s.readPassword(password)); err != nil {
			return nil, fmt.Errorf("row %d: %w", i+1, err)
		}
		for _, own := range []string{"name " + s.Name, "address " + s.Query, "address " + s.Update} {
			if first, taken := rows[own]; taken && first != i {
				return nil, fmt.Errorf("rows %d and %d have the %s; change or remove one of them", first+1, i+1, own)
			}
			rows[own] = i
		}
	}
	return list, nil
}

// storeNames matches names of graph stores. They are labels of metrics, and in the file.
var storeNames = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// check completes a row and returns what is wrong with it.
func (s *GraphStore) check() error {
	s.Name, s.Graph = cmp.Or(s.Name, s.Kind), cmp.Or(s.Graph, defaultGraph)
	var name, token error
	if !storeNames.MatchString(s.Name) {
		name = fmt.Errorf("%q must have 1 to 64 characters of A-Z, a-z, 0-9, ., _ and -", s.Name)
	}
	if s.TokenFile != "" {
		if _, token = readSecret(s.TokenFile); s.User != "" || s.PasswordFile != "" {
			token = errors.New("it has a user too; remove one of them")
		}
	}
	for _, field := range []struct {
		name string
		err  error
	}{
		{"kind", oneOf(&s.Kind, s.Kind, "virtuoso", "sparql")}, {"name", name},
		{"query", cmp.Or(text(&s.Query, s.Query), serviceURL(&s.Query, s.Query))},
		{"update", cmp.Or(text(&s.Update, s.Update), serviceURL(&s.Update, s.Update))},
		{"graph_store", serviceURL(&s.GraphStore, s.GraphStore)}, {"graph", iri(&s.Graph, s.Graph)}, {"token_file", token},
	} {
		if field.err != nil {
			return fmt.Errorf("%s: %w", field.name, field.err)
		}
	}
	return nil
}

// readPassword sets the password of a row, by default to shared. It returns an error if it can't read the password_file, or if the
// sign-in is incomplete: a user needs a password, and Virtuoso and a password_file need a user. A row with a token_file needs
// neither.
func (s *GraphStore) readPassword(shared string) (err error) {
	s.Password, s.PasswordFrom = shared, passwordVariable
	if s.PasswordFile != "" {
		if s.Password, err = readSecret(s.PasswordFile); err != nil {
			return fmt.Errorf("password_file: %w", err)
		}
		s.PasswordFrom = "its password_file"
	}
	lacksUser := s.User == "" && (s.Kind == "virtuoso" || s.PasswordFile != "")
	lacksPassword := s.User != "" && s.Password == ""
	if s.TokenFile == "" && (lacksUser || lacksPassword) {
		return errors.New("user: it needs a user and a password; set user, and password_file or " + passwordVariable)
	}
	return nil
}
