package config

import (
	"cmp"
	"errors"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/resolver"
)

// every returns the names of all settings.
func every() []string {
	var names []string
	for _, s := range Settings() {
		names = append(names, s.Name)
	}
	return names
}

func TestDefaults(t *testing.T) {
	c, err := Load(every(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := &Config{Data: "segraph.db", Out: "-", API: ":5000", UI: ":8080", LogFormat: "text", SnapshotEvery: 24 * time.Hour, SnapshotKeep: 7, QueryTime: 30 * time.Second, ClientConnections: 1024, TextIndex: true, ForwardedDeletes: "apply", Store: "embedded", StoreTimeout: 5 * time.Second,
		VirtuosoURL: "http://localhost:8890", VirtuosoUser: "dba", VirtuosoGraph: "urn:segraph:log", SPARQLGraph: "urn:segraph:log", Expires: 24 * time.Hour, Contexts: resolver.Defaults()}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("without flags and environment\n%+v, want\n%+v", c, want)
	}
}

// Every setting is read from its variable and from the file named by its _FILE variable, if
// it has one, and, unless it is secret, from its flag. The flag always wins.
func TestEverySettingByFlagEnvironmentAndFile(t *testing.T) {
	samples := map[string]struct {
		text string
		read func(*Config) any
		want any
	}{
		"data": {"x.db", func(c *Config) any { return c.Data }, "x.db"},
		"api":  {"127.0.0.1:0", func(c *Config) any { return c.API }, "127.0.0.1:0"},
		"ui":   {"[::1]:81", func(c *Config) any { return c.UI }, "[::1]:81"},
		"cors-origins": {"https://a.example, http://b.example:81, https://c.example:443, http://d.example:80, http://e.example:443", func(c *Config) any { return c.CORSOrigins },
			[]string{"https://a.example", "http://b.example:81", "https://c.example", "http://d.example", "http://e.example:443"}},
		"hosts":                {"Graph.example.org, b.example", func(c *Config) any { return c.Hosts }, []string{"graph.example.org", "b.example"}},
		"trusted-proxies":      {"10.1.2.3/8,192.0.2.1,2001:db8::/32", func(c *Config) any { return c.TrustedProxies }, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("192.0.2.1/32"), netip.MustParsePrefix("2001:db8::/32")}},
		"log-level":            {"WARNING", func(c *Config) any { return c.LogLevel }, slog.LevelWarn},
		"compat":               {"segb", func(c *Config) any { return c.Compat }, "segb"},
		"text-index":           {"off", func(c *Config) any { return c.TextIndex }, false},
		"strict-iris":          {"true", func(c *Config) any { return c.StrictIRIs }, true},
		"origin":               {"example.org/log", func(c *Config) any { return c.Origin }, "example.org/log"},
		"require-signatures":   {"ari, tiago", func(c *Config) any { return strings.Join(c.RequireSignatures, "|") }, "ari|tiago"},
		"log-public":           {"true", func(c *Config) any { return c.PublicLog }, true},
		"witnesses":            {"w+01+B/+= https://w.example/x, v+02+B http://v.example", func(c *Config) any { return c.Witnesses }, []string{"w+01+B/+= https://w.example/x", "v+02+B http://v.example"}},
		"witness-of":           {"a+01+A/+=, b+02+A", func(c *Config) any { return c.Witnessed }, []string{"a+01+A/+=", "b+02+A"}},
		"forward-to":           {"c+01+B/+= nats://a,b:4223, d+02+B https://d.example/api", func(c *Config) any { return c.ForwardTo }, []string{"c+01+B/+= nats://a,b:4223", "d+02+B https://d.example/api"}},
		"forward-from":         {"nats://a,b:4223", func(c *Config) any { return c.ForwardFrom }, "nats://a,b:4223"},
		"forward-key-file":     {"/etc/nkey", func(c *Config) any { return c.ForwardKeyFile }, "/etc/nkey"},
		"forward-token-file":   {"/etc/token", func(c *Config) any { return c.ForwardTokenFile }, "/etc/token"},
		"forward-rate":         {"64", func(c *Config) any { return c.ForwardRate }, 64},
		"boxes":                {"a+01+A/+=, b+02+A", func(c *Config) any { return c.Boxes }, []string{"a+01+A/+=", "b+02+A"}},
		"forwarded-deletes":    {"keep", func(c *Config) any { return c.ForwardedDeletes }, "keep"},
		"signing-key":          {"pem", func(c *Config) any { return c.SigningKey }, "pem"},
		"exit-on-disk-error":   {"true", func(c *Config) any { return c.ExitOnDiskError }, true},
		"log-format":           {"json", func(c *Config) any { return c.LogFormat }, "json"},
		"allow-short-secret":   {"true", func(c *Config) any { return c.AllowShortSecret }, true},
		"secret-key":           {" s3cret ", func(c *Config) any { return c.SecretKey }, " s3cret "},
		"triplestore-password": {"p=w", func(c *Config) any { return c.TriplestorePassword }, "p=w"},
		"format":               {"nquads", func(c *Config) any { return c.Format }, "nquads"},
		"query-time":           {"1m30s", func(c *Config) any { return c.QueryTime }, 90 * time.Second},
		"connections":          {"10000", func(c *Config) any { return c.Connections }, 10000},
		"client-connections":   {"10000", func(c *Config) any { return c.ClientConnections }, 10000},
		"query-memory":         {"64", func(c *Config) any { return c.QueryMemory }, 64},
		"memory":               {"64", func(c *Config) any { return c.Memory }, 64},
		"queries":              {"3", func(c *Config) any { return c.Queries }, 3},
		"url":                  {"http://robots.example:5000/x", func(c *Config) any { return c.URL }, "http://robots.example:5000/x"},
		"file":                 {"q.rq", func(c *Config) any { return c.File }, "q.rq"},
		"canonical":            {"true", func(c *Config) any { return c.Canonical }, true},
		"explain":              {"true", func(c *Config) any { return c.Explain }, true},
		"live":                 {"true", func(c *Config) any { return c.Live }, true},
		"fleet":                {"true", func(c *Config) any { return c.Fleet }, true},
		"token":                {"a.b.c", func(c *Config) any { return c.Token }, "a.b.c"},
		"token-file":           {"a.token", func(c *Config) any { return c.TokenFile }, "a.token"},
		"base-path":            {"/seg/", func(c *Config) any { return c.BasePath }, "/seg"},
		"tls-acme":             {"Graph.example.org", func(c *Config) any { return c.TLSACME }, []string{"graph.example.org"}},
		"tls-acme-url":         {"https://ca.example/dir", func(c *Config) any { return c.TLSACMEURL }, "https://ca.example/dir"},
		"retention":            {"200d", func(c *Config) any { return c.Retention }, 200 * 24 * time.Hour},
		"two-persons":          {"true", func(c *Config) any { return c.TwoPersons }, true},
		"retention-rules":      {"rules.yaml", func(c *Config) any { return c.RetentionRules }, "rules.yaml"},
		"reason":               {"asked for", func(c *Config) any { return c.Reason }, "asked for"},
		"until":                {"2026-01-02T03:04:05Z", func(c *Config) any { return c.HoldUntil }, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
		"pseudonymise":         {"true", func(c *Config) any { return c.Pseudonymise }, true},
		"yes":                  {"true", func(c *Config) any { return c.Yes }, true},
		"wait":                 {"30s", func(c *Config) any { return c.Wait }, 30 * time.Second},
		"forgotten":            {"urn:m", func(c *Config) any { return c.Sought }, "urn:m"},
		"robot":                {"urn:r", func(c *Config) any { return c.Robot }, "urn:r"},
		"kind":                 {"urn:k", func(c *Config) any { return c.Kind }, "urn:k"},
		"jti":                  {"id", func(c *Config) any { return c.TokenID }, "id"},
		"secret-key-previous":  {"s3cret", func(c *Config) any { return c.PreviousSecretKey }, "s3cret"},
		"tls-cert":             {"c.pem", func(c *Config) any { return c.TLSCert }, "c.pem"},
		"tls-key":              {"k.pem", func(c *Config) any { return c.TLSKey }, "k.pem"},
		"metrics":              {"127.0.0.1:0", func(c *Config) any { return c.Metrics }, "127.0.0.1:0"},
		"metrics-token":        {"0123456789abcdef0123456789abcdef", func(c *Config) any { return c.MetricsToken }, "0123456789abcdef0123456789abcdef"},
		"snapshot-every":       {"7d", func(c *Config) any { return c.SnapshotEvery }, 7 * 24 * time.Hour},
		"snapshot-keep":        {"0", func(c *Config) any { return c.SnapshotKeep }, 0},
		"snapshot-dir":         {"/x", func(c *Config) any { return c.SnapshotDir }, "/x"},
		"log":                  {"a,b", func(c *Config) any { return c.Choice.Logs }, []string{"a", "b"}},
		"iri":                  {"urn:x", func(c *Config) any { return c.Choice.IRI }, "urn:x"},
		"query":                {"q.rq", func(c *Config) any { return c.Choice.Query }, "q.rq"},
		"case":                 {"c", func(c *Config) any { return c.Choice.Case }, "c"},
		"from":                 {"2026-11-23T12:00:00+01:00", func(c *Config) any { return c.Choice.From }, time.Date(2026, 11, 23, 11, 0, 0, 0, time.UTC)},
		"to":                   {"2026-11-23T12:00:00.5Z", func(c *Config) any { return c.Choice.To }, time.Date(2026, 11, 23, 12, 0, 0, 5e8, time.UTC)},
		"key":                  {"a+b+c", func(c *Config) any { return c.Choice.Key }, "a+b+c"},
		"witness":              {"w+01+B/+=,v+02+B", func(c *Config) any { return c.Choice.Witnesses }, []string{"w+01+B/+=", "v+02+B"}},
		"head":                 {"1:ab", func(c *Config) any { return c.Head }, "1:ab"},
		"out":                  {"o.ttl", func(c *Config) any { return c.Out }, "o.ttl"},
		"user":                 {"ari", func(c *Config) any { return c.User }, "ari"},
		"role":                 {"admin,logger", func(c *Config) any { return c.Roles }, []string{"admin", "logger"}},
		"robot-authorization":  {"Bearer x", func(c *Config) any { return c.RobotAuthorization }, "Bearer x"},
		"map":                  {"/srv/museum.map.yaml", func(c *Config) any { return c.Map }, "/srv/museum.map.yaml"},
		"dry-run":              {"true", func(c *Config) any { return c.DryRun }, true},
		"expires":              {"90d", func(c *Config) any { return c.Expires }, 90 * 24 * time.Hour},

		"store":                  {"sparql", func(c *Config) any { return c.Store }, "sparql"},
		"stores":                 {"stores.yaml", func(c *Config) any { return c.Stores }, "stores.yaml"},
		"store-strict":           {"true", func(c *Config) any { return c.StoreStrict }, true},
		"store-timeout":          {"3s", func(c *Config) any { return c.StoreTimeout }, 3 * time.Second},
		"virtuoso-url":           {"http://v.example:8890", func(c *Config) any { return c.VirtuosoURL }, "http://v.example:8890"},
		"virtuoso-user":          {"ari", func(c *Config) any { return c.VirtuosoUser }, "ari"},
		"virtuoso-graph":         {"urn:g", func(c *Config) any { return c.VirtuosoGraph }, "urn:g"},
		"sparql-query-url":       {"http://f.example/ds/query", func(c *Config) any { return c.SPARQLQueryURL }, "http://f.example/ds/query"},
		"sparql-update-url":      {"http://f.example/ds/update", func(c *Config) any { return c.SPARQLUpdateURL }, "http://f.example/ds/update"},
		"sparql-graph-store-url": {"http://f.example/ds/data", func(c *Config) any { return c.GraphStoreURL }, "http://f.example/ds/data"},
		"sparql-user":            {"ari", func(c *Config) any { return c.SPARQLUser }, "ari"},
		"sparql-graph":           {"http://g.example/", func(c *Config) any { return c.SPARQLGraph }, "http://g.example/"},

		"shared-context-namespace":               {"https://ex/e/", func(c *Config) any { return c.Contexts.Namespace }, "https://ex/e/"},
		"shared-context-time-window-seconds":     {"2.5", func(c *Config) any { return c.Contexts.TimeWindow }, 2.5},
		"shared-context-match-probability":       {"0.99", func(c *Config) any { return c.Contexts.MatchProbability }, 0.99},
		"shared-context-clear-match-probability": {"0.95", func(c *Config) any { return c.Contexts.ClearMatchProbability }, 0.95},
		"shared-context-review-probability":      {"0.4", func(c *Config) any { return c.Contexts.ReviewProbability }, 0.4},
		"shared-context-max-gap-seconds":         {"2", func(c *Config) any { return c.Contexts.MaxGap }, 2.0},
		"shared-context-min-text-similarity":     {".7", func(c *Config) any { return c.Contexts.MinTextSimilarity }, 0.7},
		"shared-context-subject-conflict":        {"review", func(c *Config) any { return c.Contexts.SubjectConflict }, "review"},
		"shared-context-generic-subjects":        {"guest", func(c *Config) any { return c.Contexts.GenericSubjects }, "guest"},
		"shared-context-clock-correction":        {"off", func(c *Config) any { return c.Contexts.ClockCorrection }, false},
		"shared-context-max-candidates":          {"3", func(c *Config) any { return c.Contexts.MaxCandidates }, 3},
		"shared-context-calibration":             {"isotonic", func(c *Config) any { return c.Contexts.Calibration }, "isotonic"},
	}
	for _, s := range Settings() {
		t.Run(s.Name, func(t *testing.T) {
			sample, ok := samples[s.Name]
			if !ok {
				t.Fatal("no sample for this setting: add one")
			}
			file := filepath.Join(t.TempDir(), "value")
			if err := os.WriteFile(file, []byte(sample.text+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			sources := map[string][2][]string{}
			if !s.Secret {
				sources["flag"] = [2][]string{{"--" + s.Name + "=" + sample.text}, nil}
			}
			if s.Env != "" {
				sources["environment"] = [2][]string{nil, {s.Env + "=" + sample.text}}
				sources["file"] = [2][]string{nil, {s.Env + "_FILE=" + file}}
			}
			if !s.Secret && s.Env != "" {
				sources["flag over environment"] = [2][]string{{"--" + s.Name + "=" + sample.text}, {s.Env + "=wrong value"}}
				sources["flag over file"] = [2][]string{{"--" + s.Name + "=" + sample.text}, {s.Env + "_FILE=/nowhere/at/all"}}
			}
			for source, given := range sources {
				c, err := Load([]string{s.Name}, given[0], given[1])
				if err != nil {
					t.Errorf("by %s: %v", source, err)
				} else if got := sample.read(c); !reflect.DeepEqual(got, sample.want) {
					t.Errorf("by %s: %#v, want %#v", source, got, sample.want)
				}
			}
		})
	}
}

// A setting that has no effect without another one is refused, unless that one or the default is given, or the command has neither.
func TestASettingWithoutEffectIsRefused(t *testing.T) {
	other := map[string]string{"metrics": "127.0.0.1:0", "store": "embedded", "stores": "s.yaml", "tls-acme": "a.example"}
	samples := map[string]string{"store-strict": "true"}
	for name, needed := range needs {
		value := cmp.Or(samples[name], "http://a.example")
		s, err := Select([]string{name})
		if err != nil {
			t.Fatal(err)
		}
		variable := s[0].Env + "=" + value
		uses := append([]string{name}, needed...)
		_, err = Load(uses, nil, []string{variable})
		var refused *Error
		if !errors.As(err, &refused) || !strings.HasPrefix(refused.Msg, s[0].Env+" has no effect without SEGRAPH_") || !strings.HasPrefix(refused.Hint, "Set SEGRAPH_") {
			t.Errorf("%s: %v", name, err)
		}
		for _, n := range needed {
			if _, err := Load(uses, []string{"--" + n, other[n]}, []string{variable}); err != nil {
				t.Errorf("%s beside %s: %v", name, n, err)
			}
		}
		if _, err := Load(uses, nil, []string{s[0].Env + "=" + s[0].Default}); err != nil {
			t.Errorf("the default of %s: %v", name, err)
		}
	}
	for _, all := range []string{"ALL", "All", "*", "ari,*"} {
		if _, err := Load([]string{"require-signatures"}, []string{"--require-signatures", all}, nil); err == nil || !strings.Contains(err.Error(), "write all") {
			t.Errorf("%s: %v", all, err)
		}
	}
}

func TestFlagsAndArguments(t *testing.T) {
	tests := []struct {
		name string
		args []string
		want Config
	}{
		{"a value behind =", []string{"--data=a.db"}, Config{Data: "a.db"}},
		{"a value behind a space", []string{"--data", "a.db"}, Config{Data: "a.db"}},
		{"one dash", []string{"-data", "a.db"}, Config{Data: "a.db"}},
		{"the last one counts", []string{"--data", "a.db", "--data", "b.db"}, Config{Data: "b.db"}},
		{"a flag behind an argument", []string{"x.ttl", "--data", "a.db", "y.ttl"}, Config{Data: "a.db", Args: []string{"x.ttl", "y.ttl"}}},
		{"stdin is an argument", []string{"-"}, Config{Data: "segraph.db", Args: []string{"-"}}},
		{"nothing behind -- is a flag", []string{"--", "--data", "-h"}, Config{Data: "segraph.db", Args: []string{"--data", "-h"}}},
		{"a list by several flags", []string{"--role", "admin", "--role", "logger,auditor"}, Config{Data: "segraph.db", Roles: []string{"admin", "logger", "auditor"}}},
		{"a switch takes no argument", []string{"--allow-short-secret", "x"}, Config{Data: "segraph.db", AllowShortSecret: true, Args: []string{"x"}}},
		{"a switch turned off", []string{"--allow-short-secret=false"}, Config{Data: "segraph.db"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Load([]string{"data", "role", "allow-short-secret"}, tt.args, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(*c, tt.want) {
				t.Errorf("got %+v, want %+v", *c, tt.want)
			}
		})
	}
}

func TestWrongSettingsAreNamed(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name    string
		args    []string
		environ []string
		msg     string // expected in the error
		hint    string // expected in its hint
	}{
		{"misspelt flag", []string{"--dta", "x"}, nil, "unknown flag --dta", "--data"},
		{"flag that is like no other", []string{"--frobnicate"}, nil, "unknown flag --frobnicate", ""},
		{"flag without a value", []string{"--data"}, nil, "--data needs a value", "--data FILE"},
		{"empty path", []string{"--data="}, nil, "--data: it must not be empty", ""},
		{"a secret is no flag", []string{"--secret-key", "x"}, nil, "no flag --secret-key", "SECRET_KEY_FILE"},
		{"unknown variable", nil, []string{"SEGRAPH_DTA=x"}, "SEGRAPH_DTA", "SEGRAPH_DATA"},
		{"unknown variable with _FILE", nil, []string{"SEGRAPH_APl_FILE=x"}, "SEGRAPH_APl_FILE", "SEGRAPH_API_FILE"},
		{"unknown variable that resembles none", nil, []string{"SEGRAPH_FOO=x"}, "SEGRAPH_FOO", "Unset it. `segraph config` lists the settings."},
		{"the key's file, misspelt", nil, []string{"SECRET_KEY_FIEL=x"}, "SECRET_KEY_FIEL is not a setting", "Did you mean SECRET_KEY"},
		{"the key without _", nil, []string{"SECRETKEY=x"}, "SECRETKEY is not a setting", "Did you mean SECRET_KEY? Rename"},
		{"the password, misspelt", nil, []string{"TRIPLESTORE_PASSWD_FILE=x"}, "TRIPLESTORE_PASSWD_FILE is not a setting", "Did you mean TRIPLESTORE_PASSWORD_FILE? Rename"},
		{"a guess at the key", nil, []string{"SEGRAPH_KEY=x"}, "SEGRAPH_KEY is not a setting", "Did you mean SECRET_KEY? Rename"},
		{"the key with a prefix", nil, []string{"SEGRAPH_SECRET_KEY=x"}, "SEGRAPH_SECRET_KEY is not a setting", "Did you mean SECRET_KEY? Rename"},
		{"the key's file with a prefix", nil, []string{"SEGRAPH_SECRET_KEY_FILE=x"}, "SEGRAPH_SECRET_KEY_FILE is not a setting", "Did you mean SECRET_KEY_FILE? Rename"},
		{"the key as others call it", nil, []string{"SEGRAPH_JWT_SECRET=x"}, "SEGRAPH_JWT_SECRET is not a setting", "Did you mean SECRET_KEY? Rename"},
		{"a guess at the file of the key", nil, []string{"SEGRAPH_KEY_FILE=x"}, "SEGRAPH_KEY_FILE is not a setting", "Did you mean SECRET_KEY_FILE? Rename"},
		{"a guess at the log's level", nil, []string{"SEGRAPH_LOG=debug"}, "SEGRAPH_LOG is not a setting", "Did you mean SEGRAPH_LOG_LEVEL? Rename"},
		{"a guess at the address", nil, []string{"SEGRAPH_PORT=80"}, "SEGRAPH_PORT is not a setting", "Did you mean SEGRAPH_API? Rename"},
		{"another setting with a prefix", nil, []string{"SEGRAPH_SHARED_CONTEXT_NAMESPACE=x"}, "SEGRAPH_SHARED_CONTEXT_NAMESPACE is not a setting", "Did you mean SHARED_CONTEXT_NAMESPACE? Rename"},
		{"variable of a single run", nil, []string{"SEGRAPH_FORMAT=x"}, "SEGRAPH_FORMAT is not a setting", "Unset it."},
		{"almost a Service", nil, []string{"SEGRAPH_SERVICE=x"}, "SEGRAPH_SERVICE is not a setting", "Unset it."},
		{"a port", []string{"--port", "80"}, nil, "unknown flag --port", "Write --api :80 for the port of the API, or --ui :80 for that of the web UI."},
		{"a port behind =", []string{"--port=80"}, nil, "unknown flag --port", "Write --api :80 for the port of the API"},
		{"no port", []string{"--port", "x\ny"}, nil, "unknown flag --port", "Write --api :5000 for the port of the API"},
		{"variable and file", nil, []string{"SECRET_KEY=x", "SECRET_KEY_FILE=y"}, "SECRET_KEY and SECRET_KEY_FILE are both set", ""},
		{"file that is not there", nil, []string{"SEGRAPH_DATA_FILE=/nowhere/at/all"}, "SEGRAPH_DATA_FILE: reading it", "path of a file"},
		{"file that is empty", nil, []string{"SECRET_KEY_FILE=" + empty}, "is empty", ""},
		{"address without a port", []string{"--api", "localhost"}, nil, "--api", ""},
		{"port out of range", nil, []string{"SEGRAPH_UI=:65536"}, "SEGRAPH_UI", ""},
		{"base path without a slash", nil, []string{"SEGRAPH_BASE_PATH=seg"}, "not a path such as /seg", ""},
		{"base path with an empty segment", nil, []string{"SEGRAPH_BASE_PATH=/seg//x"}, "not a path such as /seg", ""},
		{"base path that leads upwards", nil, []string{"SEGRAPH_BASE_PATH=/seg/.."}, "not a path such as /seg", ""},
		{"base path with a query", nil, []string{"SEGRAPH_BASE_PATH=/seg?x"}, "not a path such as /seg", ""},
		{"base path with a quotation mark", nil, []string{"SEGRAPH_BASE_PATH=/a\"b"}, "not a path such as /seg", ""},
		{"base path of a URL", nil, []string{"SEGRAPH_BASE_PATH=http://a/seg"}, "not a path such as /seg", ""},
		{"origin with a path", nil, []string{"SEGRAPH_CORS_ORIGINS=https://a.example/x"}, "SEGRAPH_CORS_ORIGINS", ""},
		{"origin without a scheme", nil, []string{"SEGRAPH_CORS_ORIGINS=a.example"}, "SEGRAPH_CORS_ORIGINS", ""},
		{"host with a port", nil, []string{"SEGRAPH_HOSTS=a.example:5000"}, "SEGRAPH_HOSTS", ""},
		{"host with a scheme", nil, []string{"SEGRAPH_HOSTS=http://a.example"}, "SEGRAPH_HOSTS", ""},
		{"host *", nil, []string{"SEGRAPH_HOSTS=*.example"}, "SEGRAPH_HOSTS", ""},
		{"origin *", nil, []string{"SEGRAPH_CORS_ORIGINS=*"}, "SEGRAPH_CORS_ORIGINS", ""},
		{"proxy by name", nil, []string{"SEGRAPH_TRUSTED_PROXIES=proxy"}, "SEGRAPH_TRUSTED_PROXIES", ""},
		{"level", []string{"--log-level", "loud"}, nil, "debug, info, warning", ""},
		{"from", []string{"--from", "noon"}, nil, "2026-11-23T12:00:00Z", ""},
		{"url", []string{"--url", "robots:5000"}, nil, "http://localhost:5000", ""},
		{"url with a password", []string{"--url", "http://a:b@robots"}, nil, "http://localhost:5000", ""},
		{"witness without a URL", nil, []string{"SEGRAPH_WITNESSES=w+01+B"}, "is not a witness: a verifier key, a space and a URL", ""},
		{"witness without a key", nil, []string{"SEGRAPH_WITNESSES=https://w https://w"}, "is not a witness", ""},
		{"witness at no URL", nil, []string{"SEGRAPH_WITNESSES=w+01+B w.example"}, "is not a witness", ""},
		{"log without a key", nil, []string{"SEGRAPH_WITNESS_OF=example.org/log"}, "is not a verifier key", ""},
		{"too many logs", nil, []string{"SEGRAPH_WITNESS_OF=" + strings.Repeat("a+b+c,", 17)}, "17 keys are more than the limit of 16", ""},
		{"name of a log that hides a character", nil, []string{"SEGRAPH_ORIGIN=example.org\u200b/log"}, "SEGRAPH_ORIGIN: \"example.org\\u200b/log\" has the character U+200B, which nobody sees", ""},
		{"witness that hides a character", nil, []string{"SEGRAPH_WITNESSES=w\u00ad+01+B/+= https://w.example/x"}, "has the character U+00AD, which nobody sees", ""},
		{"witnessed log that hides a character", nil, []string{"SEGRAPH_WITNESS_OF=a+01+A,b\u202e+02+A"}, "has the character U+202E, which nobody sees", ""},
		{"signer that hides a character", nil, []string{"SEGRAPH_REQUIRE_SIGNATURES=ari\U000e0041"}, "has the character U+E0041, which nobody sees", ""},
		{"key that hides a character", []string{"--key", "a\ufeff+01+A"}, nil, "--key: \"a\\ufeff+01+A\" has the character U+FEFF, which nobody sees", ""},
		{"witness of a bundle that hides a character", []string{"--witness", "a+01+A,b\u061c+02+A"}, nil, "has the character U+061C, which nobody sees", ""},
		{"no memory", []string{"--query-memory", "0"}, nil, "at least 1", ""},
		{"memory with a unit", nil, []string{"SEGRAPH_QUERY_MEMORY=1GiB"}, "at least 1", ""},
		{"no queries", []string{"--queries", "-1"}, nil, "at least 1", ""},
		{"no time for queries", []string{"--query-time", "0s"}, nil, "--query-time", ""},
		{"log format", nil, []string{"SEGRAPH_LOG_FORMAT=xml"}, "text, json", ""},
		{"compatibility with nothing we know", nil, []string{"SEGRAPH_COMPAT=virtuoso"}, "SEGRAPH_COMPAT: \"virtuoso\" is not known; the only value is segb", ""},
		{"switch", nil, []string{"SEGRAPH_ALLOW_SHORT_SECRET=perhaps"}, "neither true nor false", ""},
		{"format", []string{"--format", "rdfa"}, nil, "turtle, ntriples, trig, nquads", ""},
		{"time in the past", []string{"--expires", "-1h"}, nil, "--expires", ""},
		{"time without a unit", []string{"--expires", "24"}, nil, "--expires", ""},
		{"window out of range", nil, []string{"SHARED_CONTEXT_TIME_WINDOW_SECONDS=61"}, "SHARED_CONTEXT_TIME_WINDOW_SECONDS: it must be from 0.1 to 60", ""},
		{"probability that is none", []string{"--shared-context-review-probability", "much"}, nil, "it is not a number", "a case for review"},
		{"namespace that is no IRI", nil, []string{"SHARED_CONTEXT_NAMESPACE=events/"}, "absolute http or https IRI", ""},
		{"way that is none", nil, []string{"SHARED_CONTEXT_SUBJECT_CONFLICT=merge"}, "separate", ""},
		{"misspelt setting of contexts", nil, []string{"SHARED_CONTEXT_MAX_GAP_SECOND=1"}, "SHARED_CONTEXT_MAX_GAP_SECOND", "SHARED_CONTEXT_MAX_GAP_SECONDS"},
		{"days without a number", []string{"--expires", "d"}, nil, "--expires", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Load(every(), tt.args, tt.environ)
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("error %v, want an *Error", err)
			}
			if !strings.Contains(e.Msg, tt.msg) || !strings.Contains(e.Hint, tt.hint) {
				t.Errorf("%q, hint %q; want %q, hint %q", e.Msg, e.Hint, tt.msg, tt.hint)
			}
		})
	}
}

// Variables of clients, and those that Kubernetes sets for Services, change nothing.
func TestVariablesOfOthersAreIgnored(t *testing.T) {
	for _, variable := range []string{
		"SEGRAPH_URL=http://robots:5000", "SEGRAPH_TOKEN=x", "SEGRAPH_TOKEN_FILE=/nowhere/at/all", "SEGRAPH_ROBOT=ari", "SEGRAPH_QUEUE=/var/queue",
		"SEGRAPH_SERVICE_HOST=10.0.0.1", "SEGRAPH_SERVICE_PORT=5000", "SEGRAPH_SERVICE_PORT_API=5000", "SEGRAPH_PORT=tcp://10.0.0.1:5000",
		"SEGRAPH_PORT_5000_TCP=tcp://10.0.0.1:5000", "SEGRAPH_PORT_5000_TCP_PROTO=tcp", "SEGRAPH_PORT_5000_TCP_PORT=5000", "SEGRAPH_PORT_5000_TCP_ADDR=10.0.0.1",
		"SEGRAPH_UI_SERVICE_HOST=10.0.0.2", "SEGRAPH_UI_PORT=tcp://10.0.0.2:8080", "SEGRAPH_UI_PORT_8080_TCP=tcp://10.0.0.2:8080", "SEGRAPH_UI_PORT_8080_TCP_PORT=8080",
	} {
		for _, uses := range [][]string{ServiceSettings(), {"data"}} {
			want, err := Load(uses, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := Load(uses, nil, []string{variable}); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %+v, %v", variable, got, err)
			}
		}
	}
}

func TestABasePathIsReadWithoutItsLastSlash(t *testing.T) {
	for given, want := range map[string]string{"/seg": "/seg", "/seg/": "/seg", "/a/b.c~1": "/a/b.c~1", "/": ""} {
		c, err := Load([]string{"base-path"}, []string{"--base-path", given}, nil)
		if err != nil || c.BasePath != want {
			t.Errorf("%q gives %q, %v; want %q", given, c.BasePath, err, want)
		}
	}
}

func TestSetButEmptyMeansUnset(t *testing.T) {
	environ := []string{"SEGRAPH_NO_SUCH=", "SECRET_KEY="}
	for _, s := range Settings() {
		if s.Env != "" {
			environ = append(environ, s.Env+"=", s.Env+"_FILE=")
		}
	}
	c, err := Load(every(), nil, environ)
	if err != nil {
		t.Fatal(err)
	}
	if c.SecretKey != "" || c.Data != "segraph.db" {
		t.Errorf("got %+v, want the defaults", c)
	}
}

func TestOneNewlineAtTheEndOfAFileIsCut(t *testing.T) {
	for content, want := range map[string]string{"k": "k", "k\n": "k", "k\r\n": "k", "k\n\n": "k\n", " k ": " k "} {
		file := filepath.Join(t.TempDir(), "key")
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Load([]string{"secret-key"}, nil, []string{"SECRET_KEY_FILE=" + file})
		if err != nil || c.SecretKey != want {
			t.Errorf("file %q gives %q, %v; want %q", content, c.SecretKey, err, want)
		}
	}
}

func TestAnErrorNeverHoldsASecret(t *testing.T) {
	_, err := Load([]string{"secret-key"}, nil, []string{"SECRET_KEY=canary", "SECRET_KEY_FILE=x"})
	if err == nil || strings.Contains(err.Error(), "canary") {
		t.Errorf("error %v", err)
	}
	_, err = Load([]string{"secret-key"}, []string{"--secret-key=canary"}, nil)
	if err == nil || strings.Contains(err.Error(), "canary") {
		t.Errorf("error %v", err)
	}
}

func TestHelpIsErrHelp(t *testing.T) {
	for _, arg := range []string{"-h", "--help", "-help"} {
		if _, err := Load(every(), []string{"--data", "x", arg}, []string{"SEGRAPH_NO_SUCH=1"}); !errors.Is(err, ErrHelp) {
			t.Errorf("%s: %v, want ErrHelp", arg, err)
		}
	}
}

func TestAJSONLogIsKnownWhateverElseIsWrong(t *testing.T) {
	file := filepath.Join(t.TempDir(), "format")
	if err := os.WriteFile(file, []byte("json\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args, environ []string
		want          bool
	}{
		{nil, nil, false},
		{[]string{"--log-format", "json"}, nil, true},
		{[]string{"-log-format=json", "--no-such"}, nil, true},
		{[]string{"--no-such", "--log-format=text"}, []string{"SEGRAPH_LOG_FORMAT=json"}, false},
		{[]string{"--api", "x"}, []string{"SEGRAPH_LOG_FORMAT=json", "SEGRAPH_NO_SUCH=1"}, true},
		{nil, []string{"SEGRAPH_LOG_FORMAT_FILE=" + file}, true},
		{[]string{"log-format", "json"}, nil, false},
		{[]string{"--log-format"}, nil, false},
	} {
		if got := LogsJSON(c.args, c.environ); got != c.want {
			t.Errorf("%q with %q: %v", c.args, c.environ, got)
		}
	}
}

func TestTheTableIsSound(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Settings() {
		if seen[s.Name] || s.Env != "" && seen[s.Env] {
			t.Errorf("%s or %s stands twice", s.Name, s.Env)
		}
		seen[s.Name], seen[s.Env] = true, true
		mirror := strings.ToUpper(strings.ReplaceAll(s.Name, "-", "_"))
		if !strings.HasPrefix(s.Name, "shared-context-") {
			mirror = "SEGRAPH_" + mirror
		}
		if !s.Secret && s.Env != "" && s.Env != mirror {
			t.Errorf("--%s is mirrored by %s, want %s", s.Name, s.Env, mirror)
		}
		if s.Secret && s.Default != "" {
			t.Errorf("the secret %s has a default", s.Name)
		}
		if !strings.HasSuffix(s.Help, ".") {
			t.Errorf("--%s: the help is not a sentence: %q", s.Name, s.Help)
		}
	}
	if _, err := Select([]string{"data", "no-such"}); err == nil {
		t.Error("a setting that is not in the table was selected")
	}
}

func TestNearest(t *testing.T) {
	words := []string{"serve", "token", "load", "dump", "healthcheck", "version", "help"}
	for word, want := range map[string]string{"srve": "serve", "sevre": "serve", "laod": "load", "helth": "help", "healthchek": "healthcheck", "versoin": "version"} {
		if got := Nearest(word, words); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
	if Nearest("x", nil) != "" {
		t.Error("Nearest returned a word without candidates")
	}
	for _, pair := range [][2]string{{"srve", "serve"}, {"sevre", "serve"}, {"dumpp", "dump"}} {
		if !Similar(pair[0], pair[1]) {
			t.Errorf("%q is not similar to %q", pair[0], pair[1])
		}
	}
	if slices.ContainsFunc(words, func(w string) bool { return Similar("frobnicate", w) }) {
		t.Error("frobnicate is similar to a verb")
	}
}
