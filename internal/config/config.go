// Package config turns flags and environment into the settings of a run.
//
// One table (settings.go) declares every setting: its flag, its environment variable, its
// default, its help. A value is looked for in that order: the flag, the variable, the
// file that the variable with _FILE behind its name points to, the default. Set but empty
// means unset. Secrets have no flag, because everybody on a machine may read command
// lines. A variable SEGRAPH_* or SHARED_CONTEXT_* that nobody knows is an error, so that
// a misspelt one does not go unnoticed. The package starts nothing and reads no file but
// those.
package config

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/resolver"
)

// Config is what every setting of a run is. Settings that a verb does not use have
// their zero value.
type Config struct {
	Data string // path of the store's file
	Out  string // path that a dump is written to, "-" for stdout

	API string // host:port of the API's listener
	UI  string // host:port of the web UI's listener

	BasePath        string   // what comes before every path, such as "/seg"; empty is nothing
	TLSACME         []string // hosts whose certificates come from an ACME server; empty is none
	TLSACMEURL      string   // of that server's directory; empty is Let's Encrypt
	TLSCert, TLSKey string   // files in PEM; empty is plain HTTP

	Metrics      string // address of metrics; empty is none
	MetricsToken string // opens them; empty is none

	CORSOrigins    []string       // origins that may call the API from a browser; empty is none
	TrustedProxies []netip.Prefix // whose X-Forwarded-For and -Host count; empty is nobody's
	Hosts          []string       // names of the service that are accepted without authentication

	SnapshotEvery time.Duration // between two snapshots; 0 is none by schedule
	SnapshotKeep  int           // of each kind; 0 is none
	SnapshotDir   string        // their folder; empty is beside Data

	QueryTime   time.Duration // how long a query of the service may run
	QueryMemory int           // MiB that it may keep; 0 is a share of Memory
	Memory      int           // MiB that the service may use; 0 is what there is
	Queries     int           // how many run at once; 0 is as many as there are processors

	TextIndex bool // keep an index of texts

	Connections, ClientConnections int // how many there may be of all clients, 0 for as many as memory allows, and of one

	Contexts resolver.Settings // of the shared-context resolver
	DryRun   bool              // decide and store nothing

	Compat string // "segb", or "" for the specification to the letter

	StrictIRIs bool // refuse documents for their IRIs and language tags

	ExitOnDiskError bool // end the process when the disk fails

	LogLevel  slog.Level
	LogFormat string // "text" or "json"

	SecretKey           string // signs tokens (HS256); empty turns authentication off
	PreviousSecretKey   string // is accepted too; empty is none
	AllowShortSecret    bool   // take a SecretKey that can be guessed
	TriplestorePassword string // of a graph store that is a service of its own

	Store           string        // "embedded", "virtuoso" or "sparql"
	StoreStrict     bool          // refuse posts and queries while another store is away
	StoreTimeout    time.Duration // how long that store may give no sign of life under a query
	VirtuosoURL     string        // where Virtuoso's HTTP server is
	VirtuosoUser    string
	VirtuosoGraph   string // the name of the published graph there
	SPARQLQueryURL  string // of another graph store: where it takes queries
	SPARQLUpdateURL string // and updates
	GraphStoreURL   string // and documents, by the Graph Store Protocol; empty is nowhere
	SPARQLUser      string // empty is none
	SPARQLGraph     string // the name of the published graph there

	Format    string // "turtle", "ntriples", "trig" or "nquads"; empty is by file name
	URL       string // of a running service's API; empty is the file
	File      string // that holds a query; "-" for stdin
	Explain   bool   // tell how a query is gone about
	Token     string // for that service
	TokenFile string // that holds it

	User    string        // whom a token is for, or whose tokens are revoked
	TokenID string        // of the token that is revoked
	Roles   []string      // what a token allows
	Expires time.Duration // how long a token is valid

	Head string // of a journal at an earlier time; empty is none

	Args []string // what is left of the command line
}

// Error is a setting, a flag or an argument that can't be used. It is the caller's to mend.
type Error struct {
	Msg  string // what is wrong
	Hint string // what to do, may be empty
}

func (e *Error) Error() string { return e.Msg }

// ErrHelp is what Load returns when -h or --help is among the arguments.
var ErrHelp = errors.New("help was asked for")

// Load returns the settings named in uses their values, from the arguments args and the
// environment environ ("NAME=value", as os.Environ has it). It returns ErrHelp, or an
// *Error that says which setting is wrong and what it may be.
func Load(uses, args, environ []string) (*Config, error) {
	known, err := Select(uses)
	if err != nil {
		return nil, err
	}
	flags, rest, err := parseFlags(known, args)
	if err != nil {
		return nil, err
	}
	env := variables(environ)
	if err := env.unknown(); err != nil {
		return nil, err
	}
	c := &Config{Args: rest}
	for _, s := range known {
		text, origin, err := s.find(flags, env)
		if err != nil {
			return nil, err
		}
		if err := s.set(c, text); err != nil {
			return nil, &Error{Msg: fmt.Sprintf("%s: %v", origin, err), Hint: s.Help}
		}
	}
	return c, nil
}

// LogsJSON reports whether arguments and environment ask for a log in JSON, even where
// another setting is wrong.
func LogsJSON(args, environ []string) bool {
	const flag, variable = "log-format", "SEGRAPH_LOG_FORMAT"
	format, _, _ := variables(environ).lookup(variable) // an error is Load's to report
	for i, arg := range args {
		name, value, given := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
		if name != flag || name == arg {
			continue
		}
		if !given && i+1 < len(args) {
			value = args[i+1]
		}
		format = value
	}
	return format == "json"
}

// Given is where a setting has its value from.
type Given struct {
	Setting Setting
	Value   string // as it was written; of a secret "", whether it is set or not
	Set     bool   // to something
	Origin  string // --name, NAME, NAME_FILE or "default"
}

// Explain tells of the settings named in uses what Load would give them, and where it
// comes from. It reads as Load does.
func Explain(uses, args, environ []string) ([]Given, error) {
	if _, err := Load(uses, args, environ); err != nil {
		return nil, err
	}
	known, err := Select(uses)
	if err != nil {
		return nil, err
	}
	flags, _, err := parseFlags(known, args)
	if err != nil {
		return nil, err
	}
	env := variables(environ)
	var out []Given
	for _, s := range known {
		text, origin, err := s.find(flags, env)
		if err != nil {
			return nil, err
		}
		g := Given{Setting: s, Value: text, Set: text != "", Origin: origin}
		if _, flagged := flags[s.Name]; !flagged && env[s.Env] == "" && env[s.Env+"_FILE"] == "" {
			g.Origin = "default"
		}
		if s.Secret {
			g.Value = ""
		}
		out = append(out, g)
	}
	return out, nil
}

// Select returns the settings of those names, in the table's order.
func Select(names []string) ([]Setting, error) {
	var out []Setting
	for _, s := range Settings() {
		if slices.Contains(names, s.Name) {
			out = append(out, s)
		}
	}
	if len(out) != len(names) {
		return nil, fmt.Errorf("selecting settings: %s are not all in the table", strings.Join(names, ", "))
	}
	return out, nil
}

// find looks a setting up where it may be given; origin says where it was found.
func (s Setting) find(flags map[string]string, env environment) (text, origin string, err error) {
	if text, ok := flags[s.Name]; ok {
		return text, "--" + s.Name, nil
	}
	text, origin, err = env.lookup(s.Env)
	if err != nil || text != "" {
		return text, origin, err
	}
	return s.Default, "default of --" + s.Name, nil
}
