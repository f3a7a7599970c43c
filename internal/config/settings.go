package config

// Setting is one thing that can be configured.
type Setting struct {
	Name    string // of the flag, without its dashes
	Env     string // the environment variable; with _FILE behind it, a file's path
	Default string // as it would be written
	Arg     string // what stands for the value in help; empty for a switch
	Help    string // one sentence
	Secret  bool   // has no flag and is never printed
	List    bool   // values between commas; its flag may be given several times

	set func(*Config, string) error
}

// Settings is the table of all settings. It is a function and not a variable so that
// nobody can change it.
func Settings() []Setting {
	return append([]Setting{
		{Name: "data", Env: "SEGRAPH_DATA", Default: "segraph.db", Arg: "FILE",
			Help: "The file that holds everything; serve and load create it.",
			set:  func(c *Config, s string) error { return text(&c.Data, s) }},
		{Name: "api", Env: "SEGRAPH_API", Default: ":5000", Arg: "ADDR",
			Help: "Address of the API, as host:port; without a host it is all of this machine, port 0 is any free one.",
			set:  func(c *Config, s string) error { return address(&c.API, s) }},
		{Name: "ui", Env: "SEGRAPH_UI", Default: ":8080", Arg: "ADDR",
			Help: "Address of the web UI, as host:port.",
			set:  func(c *Config, s string) error { return address(&c.UI, s) }},
		{Name: "base-path", Env: "SEGRAPH_BASE_PATH", Arg: "PATH",
			Help: "What comes before every path of both listeners, such as /seg, where a proxy serves other things beside; none by default.",
			set:  func(c *Config, s string) error { return basePath(&c.BasePath, s) }},
		{Name: "tls-cert", Env: "SEGRAPH_TLS_CERT", Arg: "FILE",
			Help: "The certificate chain, in PEM, that both listeners show; with --tls-key, and without both they speak plain HTTP. New files are taken without a restart.",
			set:  func(c *Config, s string) error { c.TLSCert = s; return nil }},
		{Name: "tls-key", Env: "SEGRAPH_TLS_KEY", Arg: "FILE",
			Help: "The certificate's private key, in PEM.",
			set:  func(c *Config, s string) error { c.TLSKey = s; return nil }},
		{Name: "metrics", Env: "SEGRAPH_METRICS", Arg: "ADDR",
			Help: "Address of this machine alone, such as 127.0.0.1:9090, that serves /metrics and /debug/pprof/ without a token; none by default.",
			set:  func(c *Config, s string) error { return loopback(&c.Metrics, s) }},
		{Name: "cors-origins", Env: "SEGRAPH_CORS_ORIGINS", Arg: "ORIGINS", List: true,
			Help: "Origins whose pages may call the API, between commas, such as https://example.org; none by default.",
			set:  func(c *Config, s string) error { return origins(&c.CORSOrigins, s) }},
		{Name: "trusted-proxies", Env: "SEGRAPH_TRUSTED_PROXIES", Arg: "NETWORKS", List: true,
			Help: "Addresses or networks, between commas, whose X-Forwarded-For, -Proto and -Host are believed, such as 10.0.0.0/8; none by default.",
			set:  func(c *Config, s string) error { return networks(&c.TrustedProxies, s) }},
		{Name: "hosts", Env: "SEGRAPH_HOSTS", Arg: "NAMES", List: true,
			Help: "Names of this service, between commas, such as graph.example.org, that clients may use while authentication is off; IP addresses and names of local networks always may.",
			set:  func(c *Config, s string) error { return hosts(&c.Hosts, s) }},
		{Name: "snapshot-every", Env: "SEGRAPH_SNAPSHOT_EVERY", Default: "24h", Arg: "TIME",
			Help: "How often a snapshot of the file is made and verified, such as 6h or 7d; off for never.",
			set: func(c *Config, s string) error {
				if s == "off" {
					c.SnapshotEvery = 0
					return nil
				}
				return lifetime(&c.SnapshotEvery, s)
			}},
		{Name: "snapshot-keep", Env: "SEGRAPH_SNAPSHOT_KEEP", Default: "7", Arg: "N",
			Help: "How many snapshots are kept of those by schedule, and how many of those before the graph was deleted; 0 makes none of either.",
			set:  func(c *Config, s string) error { return count(&c.SnapshotKeep, s) }},
		{Name: "snapshot-dir", Env: "SEGRAPH_SNAPSHOT_DIR", Arg: "FOLDER",
			Help: "Where snapshots are; by default in a folder beside the file, with .snapshots behind its name.",
			set:  func(c *Config, s string) error { c.SnapshotDir = s; return nil }},
		{Name: "query-time", Env: "SEGRAPH_QUERY_TIME", Default: "30s", Arg: "TIME",
			Help: "How long a query may run before it is ended with 504.",
			set:  func(c *Config, s string) error { return lifetime(&c.QueryTime, s) }},
		{Name: "query-memory", Env: "SEGRAPH_QUERY_MEMORY", Default: "1024", Arg: "MIB",
			Help: "How many MiB a query may keep in memory before it is ended with 503.",
			set:  func(c *Config, s string) error { return positive(&c.QueryMemory, s) }},
		{Name: "queries", Env: "SEGRAPH_QUERIES", Arg: "N",
			Help: "How many queries run at once; by default as many as there are processors. Up to 64 more wait for their turn.",
			set: func(c *Config, s string) error {
				if s == "" {
					return nil
				}
				return positive(&c.Queries, s)
			}},
		{Name: "connections", Env: "SEGRAPH_CONNECTIONS", Default: "4096", Arg: "N",
			Help: "How many connections both listeners have at once; more are told so with 503, or closed.",
			set:  func(c *Config, s string) error { return positive(&c.Connections, s) }},
		{Name: "client-connections", Env: "SEGRAPH_CLIENT_CONNECTIONS", Default: "1024", Arg: "N",
			Help: "How many of them one address has, or one /64 of IPv6, unless it is a trusted proxy's; more are told so with 429, or closed.",
			set:  func(c *Config, s string) error { return positive(&c.ClientConnections, s) }},
		{Name: "compat", Env: "SEGRAPH_COMPAT", Arg: "NAME",
			Help: "segb: give SEGB's clients what they need beyond the specification, as docs/from-segb.md says; without it the specification holds to the letter.",
			set:  func(c *Config, s string) error { return compat(&c.Compat, s) }},
		{Name: "exit-on-disk-error", Env: "SEGRAPH_EXIT_ON_DISK_ERROR", Default: "false",
			Help: "End with exit code 1 when the disk fails under a write, so that a supervisor starts the service again; without it the service goes on reading and is not ready.",
			set:  func(c *Config, s string) error { return boolean(&c.ExitOnDiskError, s) }},
		{Name: "log-level", Env: "SEGRAPH_LOG_LEVEL", Default: "info", Arg: "LEVEL",
			Help: "The least severe log line that is written: debug, info, warning, error or critical.",
			set:  func(c *Config, s string) error { return level(&c.LogLevel, s) }},
		{Name: "log-format", Env: "SEGRAPH_LOG_FORMAT", Default: "text", Arg: "FORMAT",
			Help: "How log lines are written: text or json.",
			set:  func(c *Config, s string) error { return oneOf(&c.LogFormat, s, "text", "json") }},
		{Name: "allow-short-secret", Env: "SEGRAPH_ALLOW_SHORT_SECRET", Default: "false",
			Help: "Take a SECRET_KEY of less than 32 bytes, which can be guessed: for a demo only.",
			set:  func(c *Config, s string) error { return boolean(&c.AllowShortSecret, s) }},
		{Name: "secret-key", Env: "SECRET_KEY", Secret: true,
			Help: "Signs and checks tokens, at least 32 bytes; without it authentication is off and everybody may do everything.",
			set:  func(c *Config, s string) error { c.SecretKey = s; return nil }},
		{Name: "triplestore-password", Env: "TRIPLESTORE_PASSWORD", Secret: true,
			Help: "Password of a graph store that is a service of its own; the embedded store takes it and needs none.",
			set:  func(c *Config, s string) error { c.TriplestorePassword = s; return nil }},
		{Name: "store", Env: "SEGRAPH_STORE", Default: "embedded", Arg: "STORE",
			Help: "What answers queries: embedded, virtuoso, or sparql for any other server of SPARQL 1.1. The file holds everything in every case.",
			set:  func(c *Config, s string) error { return oneOf(&c.Store, s, "embedded", "virtuoso", "sparql") }},
		{Name: "virtuoso-url", Env: "SEGRAPH_VIRTUOSO_URL", Default: "http://localhost:8890", Arg: "URL",
			Help: "Where Virtuoso's HTTP server is.",
			set:  func(c *Config, s string) error { return serviceURL(&c.VirtuosoURL, s) }},
		{Name: "virtuoso-user", Env: "SEGRAPH_VIRTUOSO_USER", Default: "dba", Arg: "NAME",
			Help: "Who writes there, with the password in TRIPLESTORE_PASSWORD.",
			set:  func(c *Config, s string) error { return text(&c.VirtuosoUser, s) }},
		{Name: "virtuoso-graph", Env: "SEGRAPH_VIRTUOSO_GRAPH", Default: "urn:segraph:log", Arg: "IRI",
			Help: "The name of the published graph there.",
			set:  func(c *Config, s string) error { return iri(&c.VirtuosoGraph, s) }},
		{Name: "sparql-query-url", Env: "SEGRAPH_SPARQL_QUERY_URL", Arg: "URL",
			Help: "Where another graph store takes queries.",
			set:  func(c *Config, s string) error { return serviceURL(&c.SPARQLQueryURL, s) }},
		{Name: "sparql-update-url", Env: "SEGRAPH_SPARQL_UPDATE_URL", Arg: "URL",
			Help: "Where it takes updates.",
			set:  func(c *Config, s string) error { return serviceURL(&c.SPARQLUpdateURL, s) }},
		{Name: "sparql-graph-store-url", Env: "SEGRAPH_SPARQL_GRAPH_STORE_URL", Arg: "URL",
			Help: "Where it takes documents by the Graph Store Protocol; without it large ones are sent as several updates.",
			set:  func(c *Config, s string) error { return serviceURL(&c.GraphStoreURL, s) }},
		{Name: "sparql-user", Env: "SEGRAPH_SPARQL_USER", Arg: "NAME",
			Help: "Who asks there, with the password in TRIPLESTORE_PASSWORD; without it nobody in particular.",
			set:  func(c *Config, s string) error { c.SPARQLUser = s; return nil }},
		{Name: "sparql-graph", Env: "SEGRAPH_SPARQL_GRAPH", Default: "urn:segraph:log", Arg: "IRI",
			Help: "The name of the published graph there.",
			set:  func(c *Config, s string) error { return iri(&c.SPARQLGraph, s) }},
		{Name: "format", Env: "SEGRAPH_FORMAT", Arg: "FORMAT",
			Help: "turtle, ntriples, trig or nquads; by default what the file's name ends in says it (.ttl, .nt, .trig, .nq). For query: table, json, xml, csv, tsv, turtle or ntriples. For resolve: text or json.",
			set: func(c *Config, s string) error {
				return oneOf(&c.Format, s, "", "turtle", "ntriples", "trig", "nquads", "table", "json", "xml", "csv", "tsv", "text")
			}},
		{Name: "url", Env: "SEGRAPH_URL", Arg: "URL",
			Help: "Ask the API of a running service there, such as http://localhost:5000, and not the file.",
			set:  func(c *Config, s string) error { return serviceURL(&c.URL, s) }},
		{Name: "file", Env: "SEGRAPH_FILE", Arg: "FILE",
			Help: "A file that holds the query; - is stdin.",
			set:  func(c *Config, s string) error { c.File = s; return nil }},
		{Name: "explain", Env: "SEGRAPH_EXPLAIN", Default: "false",
			Help: "Print how the query is gone about in place of its answer: operators with estimated and actual rows and times; --format is table or json.",
			set:  func(c *Config, s string) error { return boolean(&c.Explain, s) }},
		{Name: "token-file", Env: "SEGRAPH_TOKEN_FILE", Arg: "FILE",
			Help: "A file that holds the token for the service at --url.",
			set:  func(c *Config, s string) error { c.TokenFile = s; return nil }},
		{Name: "token", Env: "SEGRAPH_TOKEN", Secret: true,
			Help: "The token for the service at --url.",
			set:  func(c *Config, s string) error { c.Token = s; return nil }},
		{Name: "out", Env: "SEGRAPH_OUT", Default: "-", Arg: "FILE",
			Help: "The file to write, which is replaced as a whole or not at all; - is stdout.",
			set:  func(c *Config, s string) error { return text(&c.Out, s) }},
		{Name: "head", Env: "SEGRAPH_HEAD", Arg: "HEAD",
			Help: "The head of the journal at an earlier time, as `segraph audit verify` printed it, up to which it must still be the same.",
			set:  func(c *Config, s string) error { c.Head = s; return nil }},
		{Name: "user", Env: "SEGRAPH_USER", Arg: "NAME",
			Help: "Whom the token is for.",
			set:  func(c *Config, s string) error { c.User = s; return nil }},
		{Name: "role", Env: "SEGRAPH_ROLE", Arg: "ROLE", List: true,
			Help: "What the token allows: admin, logger or auditor; several between commas or by giving the flag again.",
			set:  func(c *Config, s string) error { c.Roles = list(s); return nil }},
		{Name: "expires", Env: "SEGRAPH_EXPIRES", Default: "24h", Arg: "TIME",
			Help: "How long the token is valid, such as 30m, 24h or 90d.",
			set:  func(c *Config, s string) error { return lifetime(&c.Expires, s) }},
		{Name: "dry-run", Env: "SEGRAPH_DRY_RUN", Default: "false",
			Help: "Decide in memory, from nothing, and store nothing.",
			set:  func(c *Config, s string) error { return boolean(&c.DryRun, s) }},
	}, contextSettings()...)
}
