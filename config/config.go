// Package config turns flags and environment variables into the settings of a run.
//
// One table (settings.go) declares every setting: its flag, its environment variable, its
// default and its help. The value comes from the first of these that is set: the flag,
// the variable, the file named by the variable with _FILE appended, the default. An empty
// variable counts as unset. Secrets have no flag, because other users can read command
// lines. Flags of a single run, such as --out, have no variable. An unknown variable
// SEGRAPH_*, SHARED_CONTEXT_*, SECRET_KEY* or TRIPLESTORE_PASS* is an error, so that typos do not go unnoticed. The package
// reads no other files and starts nothing.
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

// Config holds the settings of a run. Settings that a command does not use are zero.
type Config struct {
	Data string // path of the store's file
	Out  string // where dump writes, "-" for stdout, or the folder of evidence verify

	API string // host:port of the API's listener
	UI  string // host:port of the web UI's listener

	BasePath        string   // prefix of every path, such as "/seg", or ""
	TLSACME         []string // hosts whose certificates come from an ACME server
	TLSACMEURL      string   // directory of the ACME server; "" means Let's Encrypt
	TLSCert, TLSKey string   // PEM files; "" means plain HTTP

	Metrics      string // address of the metrics, or ""
	MetricsToken string // token for the metrics, or ""

	CORSOrigins    []string       // origins that may call the API from a browser
	TrustedProxies []netip.Prefix // proxies whose X-Forwarded-For and X-Forwarded-Host are trusted
	Hosts          []string       // names of the service that are accepted without authentication

	SnapshotEvery time.Duration // interval of scheduled snapshots; 0 disables them
	SnapshotKeep  int           // how many of each kind to keep; 0 disables snapshots
	SnapshotDir   string        // folder of the snapshots; "" means beside Data

	Retention      time.Duration // how long logs are kept; 0 means for ever
	RetentionRules string        // file with rules for some of them, or ""

	TwoPersons bool // another admin must confirm an erasure

	QueryTime   time.Duration // how long a query of the service may run
	QueryMemory int           // MiB that one query may hold; 0 means a share of Memory
	Memory      int           // MiB that the service may use; 0 means all that is available
	Queries     int           // how many queries run at once; 0 means one per processor

	TextIndex bool // keep an index of texts

	Connections, ClientConnections int // limits for all clients (0 means as many as memory allows) and for one client

	Contexts resolver.Settings // settings of the shared-context resolver
	DryRun   bool              // decide but store nothing

	Compat string // "segb", or "" for the specification alone

	StrictIRIs bool // refuse documents with IRIs or language tags that break RFC 3987 or BCP 47

	Origin     string // name of the transparency log; "" means a random one
	SigningKey string // signs the log, in PEM; "" means that it is in a file beside the data
	PublicLog  bool   // everyone may read the log's checkpoint and hashes

	Witnesses []string // witnesses of the log: a verifier key, a space and a URL each
	Witnessed []string // verifier keys of the logs that this service witnesses

	// The following make the service a box, a centre, or both.
	ForwardTo         []string // centres: a verifier key, a space and a URL each
	ForwardFrom       string   // NATS servers whose stream a centre reads, or ""
	ForwardKeyFile    string   // with an nkey's seed
	ForwardTokenFile  string   // with a token of the role box
	ForwardRate       int      // KiB a second; 0 means no limit
	Boxes             []string // verifier keys of the logs of boxes
	ForwardedDeletes  string   // "apply" or "keep"
	RequireSignatures []string // users whose logs and observations must be signed, or "all"

	ExitOnDiskError bool // end the process when the disk fails

	LogLevel  slog.Level
	LogFormat string // "text" or "json"

	SecretKey           string // signs tokens (HS256); "" turns authentication off
	PreviousSecretKey   string // previous key, whose tokens stay valid, or ""
	AllowShortSecret    bool   // accept a SecretKey that is easy to guess
	TriplestorePassword string // password of a separate graph store

	Store           string        // "embedded", "virtuoso" or "sparql"
	Stores          string        // file with several of the last two, or ""
	StoreStrict     bool          // refuse posts and queries while no graph store can be queried
	StoreTimeout    time.Duration // how long the graph store may be silent during a query
	VirtuosoURL     string        // URL of Virtuoso's HTTP server
	VirtuosoUser    string
	VirtuosoGraph   string // name of the published graph there
	SPARQLQueryURL  string // where another graph store accepts queries
	SPARQLUpdateURL string // where it accepts updates
	GraphStoreURL   string // where it accepts documents by the Graph Store Protocol, or ""
	SPARQLUser      string // user name, or ""
	SPARQLGraph     string // name of the published graph there

	Format             string // "turtle", "ntriples", "trig" or "nquads"; "" means by file name
	Canonical          bool   // write canonical N-Quads
	URL                string // API of a running service; "" means the file
	File               string // file with a query; "-" for stdin
	Explain            bool   // print the plan of the query
	Live               bool   // play the demo's last session in real time
	Fleet              bool   // run the demo as boxes and a centre
	RobotAuthorization string // header of requests to the robot, or ""
	Map                string // file with the map of robots' topics, or ""
	Token              string // token for the service at URL
	TokenFile          string // file that contains that token

	User    string        // the user of a token, or whose tokens to revoke
	TokenID string        // id of the token to revoke
	Roles   []string      // roles of a token
	Expires time.Duration // lifetime of a token

	Yes bool // withdraw the chosen logs, or erase the person
	// Reason and Pseudonymise describe an erasure, Reason and HoldUntil a legal hold.
	Reason       string
	Pseudonymise bool
	HoldUntil    time.Time
	Wait         time.Duration // how long a health check waits until the service is ready

	Head string // head of the journal at an earlier time, or ""

	Choice Choice
	Sought string // the text that check looks for
	// Robot and Kind choose logs to withdraw.
	Robot, Kind string

	Args []string // arguments that are not flags
}

// Choice selects what a bundle, a withdrawal or a hold is about, and the keys that verify a bundle.
type Choice struct {
	Logs                  []string // log ids
	IRI, Query, Case, Key string   // Query is a file
	From, To              time.Time
	Witnesses             []string // verifier keys
}

// Error is an invalid setting, flag or argument. The user can fix it.
type Error struct {
	Msg  string // what is wrong
	Hint string // what to do, or ""
}

func (e *Error) Error() string { return e.Msg }

// ErrHelp is returned by Load if -h or --help is among the arguments.
var ErrHelp = errors.New("help requested")

// Load reads the settings named in uses from the arguments args and the environment
// environ (in the form of os.Environ). It returns ErrHelp, or an *Error that names the
// invalid setting and its valid values.
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
	given, changed := map[string]bool{}, map[string]string{} // by name; changed has where a value other than the default is from
	for _, s := range known {
		text, origin, err := s.find(flags, env)
		if err != nil {
			return nil, err
		}
		if err := s.set(c, text); err != nil {
			return nil, &Error{Msg: fmt.Sprintf("%s: %v", origin, err), Hint: s.Help}
		}
		if given[s.Name] = !strings.HasPrefix(origin, fromDefault); given[s.Name] && text != s.Default {
			changed[s.Name] = origin
		}
	}
	return c, useless(known, given, changed)
}

// needs has the settings that have an effect only beside one of some others. Those of a box may come before its centre,
// which first has to know the box's key.
var needs = map[string][]string{
	"tls-acme-url":           {"tls-acme"},
	"metrics-token":          {"metrics"},
	"store-strict":           {"store", "stores"},
	"virtuoso-url":           {"store", "stores"},
	"sparql-query-url":       {"store", "stores"},
	"sparql-update-url":      {"store", "stores"},
	"sparql-graph-store-url": {"store", "stores"},
	"sparql-user":            {"store", "stores"},
}

// useless returns an error if a setting was changed, and none of those that it needs is given. A command that knows none of these
// has no such error.
func useless(known []Setting, given map[string]bool, changed map[string]string) error {
	for _, s := range known {
		var lacks []string
		met := changed[s.Name] == ""
		for _, other := range known {
			if slices.Contains(needs[s.Name], other.Name) {
				met, lacks = met || given[other.Name], append(lacks, other.Env)
			}
		}
		if !met && lacks != nil {
			all := strings.Join(lacks, " or ")
			return &Error{Msg: fmt.Sprintf("%s has no effect without %s", changed[s.Name], all), Hint: fmt.Sprintf("Set %s, or remove %s.", all, changed[s.Name])}
		}
	}
	return nil
}

// LogsJSON reports whether the arguments and the environment select a JSON log, even if
// another setting is invalid.
func LogsJSON(args, environ []string) bool {
	const flag, variable = "log-format", "SEGRAPH_LOG_FORMAT"
	format, _, _ := variables(environ).lookup(variable) // Load reports an error
	for i, arg := range args {
		name, value, values := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
		if name != flag || name == arg { // name == arg: without dashes it is no flag
			continue
		}
		if !values && i+1 < len(args) {
			value = args[i+1]
		}
		format = value
	}
	return format == "json"
}

// Sourced is a setting's value and its source.
type Sourced struct {
	Setting Setting
	Value   string // as written; "" for a secret
	Set     bool   // the setting has a value
	Origin  string // "--name", "NAME", "NAME_FILE" or "default"
}

// Explain returns the values and sources of the settings named in uses, as Load would
// read them.
func Explain(uses, args, environ []string) ([]Sourced, error) {
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
	var out []Sourced
	for _, s := range known {
		text, origin, err := s.find(flags, env)
		if err != nil {
			return nil, err
		}
		g := Sourced{Setting: s, Value: text, Set: text != "", Origin: origin}
		if strings.HasPrefix(origin, "default") {
			g.Origin = "default" // without the setting's name, which errors need
		}
		if s.Secret {
			g.Value = ""
		}
		out = append(out, g)
	}
	return out, nil
}

// Select returns the named settings in table order.
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

// fromDefault begins the origin of a default.
const fromDefault = "default of --"

// find returns the text of a setting and its source, from the first place that has one.
func (s Setting) find(flags map[string]string, env environment) (text, origin string, err error) {
	if text, ok := flags[s.Name]; ok {
		return text, "--" + s.Name, nil
	}
	if s.Env != "" {
		text, origin, err = env.lookup(s.Env)
		if err != nil || text != "" {
			return text, origin, err
		}
	}
	return s.Default, fromDefault + s.Name, nil
}
