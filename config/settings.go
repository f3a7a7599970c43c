package config

import "slices"

// Setting describes one setting.
type Setting struct {
	Name    string // name of the flag, without dashes
	Env     string // environment variable, or ""; with _FILE appended, the path of a file
	Default string // as a user would write it
	Arg     string // placeholder for the value in help; "" for a switch
	Help    string // one sentence
	// In has, by the name of a command, what the flag means there, if Help says more than that.
	In     map[string]string
	Secret bool // it has no flag and is never printed
	List   bool // comma-separated values; the flag may be repeated

	set func(*Config, string) error
}

// Settings returns the table of all settings. It is a function so that nobody can change
// the table.
func Settings() []Setting {
	return slices.Concat(serviceSettings(), commandSettings(), contextSettings())
}

// ServiceSettings returns the names of the settings of the running service.
func ServiceSettings() []string {
	return names(slices.Concat(serviceSettings(), contextSettings()))
}

// ContextSettings returns the names of the settings of the shared-context resolver.
func ContextSettings() []string { return names(contextSettings()) }

func names(settings []Setting) []string {
	var names []string
	for _, s := range settings {
		names = append(names, s.Name)
	}
	return names
}

// serviceSettings returns the settings of the running service, without the resolver's.
// Other commands share some of them.
func serviceSettings() []Setting {
	return slices.Concat(listenSettings(), limitSettings(), proofSettings(), secretSettings(), storeSettings())
}

// listenSettings returns the file, the addresses, and how requests reach them.
func listenSettings() []Setting {
	return []Setting{
		{Name: "data", Env: "SEGRAPH_DATA", Default: "segraph.db", Arg: "FILE",
			Help: "File with all data, which `segraph serve` or `load` creates.",
			set:  func(c *Config, s string) error { return text(&c.Data, s) }},
		{Name: "api", Env: "SEGRAPH_API", Default: ":5000", Arg: "ADDR",
			Help: "Address of the API, as host:port. Without a host it listens on all addresses; port 0 means any free port.",
			set:  func(c *Config, s string) error { return address(&c.API, s) }},
		{Name: "ui", Env: "SEGRAPH_UI", Default: ":8080", Arg: "ADDR",
			Help: "Address of the web UI, as host:port.",
			set:  func(c *Config, s string) error { return address(&c.UI, s) }},
		{Name: "base-path", Env: "SEGRAPH_BASE_PATH", Arg: "PATH",
			Help: "The path before every route of both listeners, such as /seg, for a proxy that also serves other applications.",
			set:  func(c *Config, s string) error { return basePath(&c.BasePath, s) }},
		{Name: "tls-cert", Env: "SEGRAPH_TLS_CERT", Arg: "FILE",
			Help: "The certificate chain of both listeners, in PEM, with --tls-key. Without the two, they use plain HTTP. A new file is used without a restart.",
			set:  func(c *Config, s string) error { c.TLSCert = s; return nil }},
		{Name: "tls-key", Env: "SEGRAPH_TLS_KEY", Arg: "FILE",
			Help: "The certificate's private key, in PEM.",
			set:  func(c *Config, s string) error { c.TLSKey = s; return nil }},
		{Name: "tls-acme", Env: "SEGRAPH_TLS_ACME", Arg: "HOSTS", List: true,
			Help: "Names of this service, separated by commas, for which it gets certificates from an ACME server, whose terms you accept by this. Port 443 of each must lead to one of its listeners.",
			set:  func(c *Config, s string) error { return hosts(&c.TLSACME, s) }},
		{Name: "tls-acme-url", Env: "SEGRAPH_TLS_ACME_URL", Arg: "URL",
			Help: "The URL of the ACME server's directory; by default Let's Encrypt's.",
			set:  func(c *Config, s string) error { return serviceURL(&c.TLSACMEURL, s) }},
		{Name: "metrics", Env: "SEGRAPH_METRICS", Arg: "ADDR",
			Help: "Address that serves /metrics. 127.0.0.1:9090 is open to this machine, with /debug/pprof/. Others, such as :9090, need a token of an auditor or admin, or SEGRAPH_METRICS_TOKEN.",
			set:  func(c *Config, s string) error { return metricsAddress(&c.Metrics, s) }},
		{Name: "metrics-token", Env: "SEGRAPH_METRICS_TOKEN", Secret: true,
			Help: "A token for /metrics only, of at least 32 characters. With it, 127.0.0.1 needs a token too.",
			set:  func(c *Config, s string) error { c.MetricsToken = s; return nil }},
		{Name: "cors-origins", Env: "SEGRAPH_CORS_ORIGINS", Arg: "ORIGINS", List: true,
			Help: "Origins whose pages may call the API, separated by commas, such as https://example.org.",
			set:  func(c *Config, s string) error { return origins(&c.CORSOrigins, s) }},
		{Name: "trusted-proxies", Env: "SEGRAPH_TRUSTED_PROXIES", Arg: "NETWORKS", List: true,
			Help: "Proxies whose X-Forwarded-For, -Proto and -Host headers are used: addresses or networks such as 10.0.0.0/8, separated by commas.",
			set:  func(c *Config, s string) error { return networks(&c.TrustedProxies, s) }},
		{Name: "hosts", Env: "SEGRAPH_HOSTS", Arg: "NAMES", List: true,
			Help: "Names that clients may use for this service while authentication is off, separated by commas, such as graph.example.org, beside IP addresses and names of local networks. A signed request must use one of these, or the address of its connection.",
			set:  func(c *Config, s string) error { return hosts(&c.Hosts, s) }},
	}
}

// limitSettings returns what bounds the work, and how strict the service is.
func limitSettings() []Setting {
	return []Setting{
		{Name: "snapshot-every", Env: "SEGRAPH_SNAPSHOT_EVERY", Default: "24h", Arg: "TIME",
			Help: "How often to make and verify a snapshot of the file, such as 6h or 7d, or off.",
			set: func(c *Config, s string) error {
				if s == "off" {
					c.SnapshotEvery = 0
					return nil
				}
				return lifetime(&c.SnapshotEvery, s)
			}},
		{Name: "snapshot-keep", Env: "SEGRAPH_SNAPSHOT_KEEP", Default: "7", Arg: "N",
			Help: "How many scheduled snapshots to keep, and how many snapshots made before a deletion. With 0, none are made.",
			set:  func(c *Config, s string) error { return count(&c.SnapshotKeep, s) }},
		{Name: "snapshot-dir", Env: "SEGRAPH_SNAPSHOT_DIR", Arg: "FOLDER",
			Help: "The folder of the snapshots; by default the file's path with .snapshots after it.",
			set:  func(c *Config, s string) error { c.SnapshotDir = s; return nil }},
		{Name: "retention", Env: "SEGRAPH_RETENTION", Arg: "TIME",
			Help: "How long logs are kept after they arrived, such as 200d; by default for ever (docs/personal-data.md).",
			set: func(c *Config, s string) error {
				if s == "" {
					return nil
				}
				return lifetime(&c.Retention, s)
			}},
		{Name: "retention-rules", Env: "SEGRAPH_RETENTION_RULES", Arg: "FILE",
			Help: "A YAML file with other times for logs of a robot, a kind or a user (docs/personal-data.md).",
			set:  func(c *Config, s string) error { c.RetentionRules = s; return nil }},
		{Name: "two-persons", Env: "SEGRAPH_TWO_PERSONS", Default: "false",
			Help: "Whether another admin must confirm that a person is erased. It needs SECRET_KEY.",
			set:  func(c *Config, s string) error { return boolean(&c.TwoPersons, s) }},
		{Name: "query-time", Env: "SEGRAPH_QUERY_TIME", Default: "30s", Arg: "TIME",
			Help: "How long a query may run before it fails with 504.",
			set:  func(c *Config, s string) error { return lifetime(&c.QueryTime, s) }},
		{Name: "memory", Env: "SEGRAPH_MEMORY", Arg: "MIB",
			Help: "How many MiB of memory the service may use; by default what the machine, the control group and GOMEMLIMIT allow.",
			set:  func(c *Config, s string) error { return optional(&c.Memory, s) }},
		{Name: "query-memory", Env: "SEGRAPH_QUERY_MEMORY", Arg: "MIB",
			Help: "How many MiB of memory one query may use before it fails with 503; by default three quarters of what requests share, at most 1024.",
			set:  func(c *Config, s string) error { return optional(&c.QueryMemory, s) }},
		{Name: "queries", Env: "SEGRAPH_QUERIES", Arg: "N",
			Help: "How many queries run at once; by default one per processor. Up to 64 more wait.",
			set:  func(c *Config, s string) error { return optional(&c.Queries, s) }},
		{Name: "connections", Env: "SEGRAPH_CONNECTIONS", Arg: "N",
			Help: "How many connections both listeners accept, or requests at once over HTTP/2; by default 4096, or fewer if there is little memory. Others get 503 or are closed.",
			set:  func(c *Config, s string) error { return optional(&c.Connections, s) }},
		{Name: "client-connections", Env: "SEGRAPH_CLIENT_CONNECTIONS", Default: "1024", Arg: "N",
			Help: "How many connections one address may have, or one /64 network of IPv6. Trusted proxies have no such limit. Others get 429 or are closed.",
			set:  func(c *Config, s string) error { return positive(&c.ClientConnections, s) }},
		{Name: "text-index", Env: "SEGRAPH_TEXT_INDEX", Default: "on", Arg: "on|off",
			Help: "Whether to keep an index of texts, with which CONTAINS, REGEX and the pages' search take milliseconds. It takes a few percent of the file. off removes it in the background.",
			set:  func(c *Config, s string) error { return onOrOff(&c.TextIndex, s) }},
		{Name: "compat", Env: "SEGRAPH_COMPAT", Arg: "NAME",
			Help: "segb: support clients of SEGB beyond the specification; docs/from-segb.md lists the differences.",
			set:  func(c *Config, s string) error { return compat(&c.Compat, s) }},
		{Name: "strict-iris", Env: "SEGRAPH_STRICT_IRIS", Default: "false",
			Help: "Refuse documents with IRIs or language tags that RFC 3987 or BCP 47 does not allow, instead of warning.",
			set:  func(c *Config, s string) error { return boolean(&c.StrictIRIs, s) }},
	}
}

// proofSettings returns the settings of the transparency log, of the server log, and the secrets.
func proofSettings() []Setting {
	return []Setting{
		{Name: "origin", Env: "SEGRAPH_ORIGIN", Arg: "NAME",
			Help: "The name of the transparency log over the journal, such as example.org/segraph. Without it, the log has a random name.",
			set:  func(c *Config, s string) error { return logName(&c.Origin, s) }},
		{Name: "log-public", Env: "SEGRAPH_LOG_PUBLIC", Default: "false",
			Help: "Let everyone read the checkpoint and the hashes of the transparency log. Entries are only for auditors.",
			set:  func(c *Config, s string) error { return boolean(&c.PublicLog, s) }},
		{Name: "witnesses", Env: "SEGRAPH_WITNESSES", Arg: "WITNESSES", List: true,
			Help: "Witnesses that cosign the transparency log, separated by commas: a verifier key, a space and a URL, such as `segraph/witness/2f03+1a2b3c4d+BGx0 https://other.example.org`.",
			set:  func(c *Config, s string) error { return servers(&c.Witnesses, s, "witness", "witnesses", serviceURL) }},
		{Name: "witness-of", Env: "SEGRAPH_WITNESS_OF", Arg: "KEYS", List: true,
			Help: "Verifier keys of the logs that this service witnesses, separated by commas, as `segraph audit key` prints them.",
			set:  func(c *Config, s string) error { return logKeys(&c.Witnessed, s, "keys", maxWitnesses) }},
		{Name: "forward-to", Env: "SEGRAPH_FORWARD_TO", Arg: "CENTRES", List: true,
			Help: "Centres that get this journal, separated by commas: the verifier key that `segraph audit key centre` prints there, a space and the URL of its API, or `nats://` and the NATS servers whose stream it reads.",
			set:  func(c *Config, s string) error { return servers(&c.ForwardTo, s, "centre", "centres", centreURL) }},
		{Name: "forward-from", Env: "SEGRAPH_FORWARD_FROM", Arg: "URL",
			Help: "The NATS servers, such as `nats://a,b,c`, whose stream this centre reads instead of receiving from its boxes. It needs SECRET_KEY.",
			set:  func(c *Config, s string) error { return natsURL(&c.ForwardFrom, s) }},
		{Name: "forward-key-file", Env: "SEGRAPH_FORWARD_KEY_FILE", Arg: "FILE",
			Help: "A file with the seed of the nkey for the NATS servers. It is read again for each connection.",
			set:  func(c *Config, s string) error { c.ForwardKeyFile = s; return nil }},
		{Name: "forward-token-file", Env: "SEGRAPH_FORWARD_TOKEN_FILE", Arg: "FILE",
			Help: "A file with a token of the role box for the centres. It is read again for each connection.",
			set:  func(c *Config, s string) error { c.ForwardTokenFile = s; return nil }},
		{Name: "forward-rate", Env: "SEGRAPH_FORWARD_RATE", Default: "0", Arg: "N",
			Help: "How many KiB a second are forwarded at most, to each centre; 0 means no limit.",
			set:  func(c *Config, s string) error { return count(&c.ForwardRate, s) }},
		{Name: "boxes", Env: "SEGRAPH_BOXES", Arg: "KEYS", List: true,
			Help: "Verifier keys of the boxes that forward their journals to this service, separated by commas, as `segraph audit key` prints them there.",
			set:  func(c *Config, s string) error { return logKeys(&c.Boxes, s, "boxes", maxBoxes) }},
		{Name: "forwarded-deletes", Env: "SEGRAPH_FORWARDED_DELETES", Default: "apply", Arg: "apply|keep",
			Help: "Whether a log that a box withdrew is withdrawn here too.",
			set:  func(c *Config, s string) error { return oneOf(&c.ForwardedDeletes, s, "apply", "keep") }},
		{Name: "require-signatures", Env: "SEGRAPH_REQUIRE_SIGNATURES", Arg: "USERS", List: true,
			Help: "Users, separated by commas, whose logs and observations must be signed with a key of `segraph key add`; all means every user.",
			set:  func(c *Config, s string) error { return users(&c.RequireSignatures, s) }},
		{Name: "exit-on-disk-error", Env: "SEGRAPH_EXIT_ON_DISK_ERROR", Default: "false",
			Help: "Exit with code 1 when a write to the disk fails, for a supervisor to restart the service. Otherwise it stays up for reading, but is not ready.",
			set:  func(c *Config, s string) error { return boolean(&c.ExitOnDiskError, s) }},
		{Name: "log-level", Env: "SEGRAPH_LOG_LEVEL", Default: "info", Arg: "LEVEL",
			Help: "The lowest level of log lines to write: debug, info, warning, error or critical.",
			set:  func(c *Config, s string) error { return level(&c.LogLevel, s) }},
		{Name: "log-format", Env: "SEGRAPH_LOG_FORMAT", Default: "text", Arg: "FORMAT",
			Help: "The format of log lines: text or json.",
			set:  func(c *Config, s string) error { return oneOf(&c.LogFormat, s, "text", "json") }},
	}
}

func secretSettings() []Setting {
	return []Setting{
		{Name: "allow-short-secret", Env: "SEGRAPH_ALLOW_SHORT_SECRET", Default: "false",
			Help: "Accept a SECRET_KEY that is easy to guess: shorter than 32 bytes, or of repeated characters. For demos only.",
			set:  func(c *Config, s string) error { return boolean(&c.AllowShortSecret, s) }},
		{Name: "secret-key", Env: "SECRET_KEY", Secret: true,
			Help: "The key that signs and checks tokens, of at least 32 bytes. Without it, authentication is off and everybody may do everything.",
			set:  func(c *Config, s string) error { c.SecretKey = s; return nil }},
		{Name: "secret-key-previous", Env: "SECRET_KEY_PREVIOUS", Secret: true,
			Help: "The previous SECRET_KEY. Its tokens stay valid until they expire.",
			set:  func(c *Config, s string) error { c.PreviousSecretKey = s; return nil }},
		{Name: "signing-key", Env: "SEGRAPH_SIGNING_KEY", Secret: true,
			Help: "The Ed25519 private key that signs the transparency log, in PEM. Without it, the key is in a file next to the data, which ends in .key.",
			set:  func(c *Config, s string) error { c.SigningKey = s; return nil }},
		{Name: "triplestore-password", Env: "TRIPLESTORE_PASSWORD", Secret: true,
			Help: "The password of another graph store. The embedded store ignores it.",
			set:  func(c *Config, s string) error { c.TriplestorePassword = s; return nil }},
	}
}

// storeSettings returns the settings of a graph store that follows the file.
func storeSettings() []Setting {
	return []Setting{
		{Name: "store", Env: "SEGRAPH_STORE", Default: "embedded", Arg: "STORE",
			Help: "What answers queries: embedded (the file), virtuoso, or sparql for any other SPARQL 1.1 server. The file always holds all data.",
			set:  func(c *Config, s string) error { return oneOf(&c.Store, s, "embedded", "virtuoso", "sparql") }},
		{Name: "stores", Env: "SEGRAPH_STORES", Arg: "FILE",
			Help: "A YAML file that lists several graph stores instead (docs/graph-stores.md). Any of them answers queries.",
			set:  func(c *Config, s string) error { c.Stores = s; return nil }},
		{Name: "store-strict", Env: "SEGRAPH_STORE_STRICT", Default: "false",
			Help: "Refuse posts and queries with 503 while no other graph store can be queried, instead of using the file.",
			set:  func(c *Config, s string) error { return boolean(&c.StoreStrict, s) }},
		{Name: "store-timeout", Env: "SEGRAPH_STORE_TIMEOUT", Default: "5s", Arg: "TIME",
			Help: "How long the other graph store may be silent before a query that waits for it fails with 503.",
			set:  func(c *Config, s string) error { return lifetime(&c.StoreTimeout, s) }},
		{Name: "virtuoso-url", Env: "SEGRAPH_VIRTUOSO_URL", Default: "http://localhost:8890", Arg: "URL",
			Help: "The URL of Virtuoso's HTTP server.",
			set:  func(c *Config, s string) error { return serviceURL(&c.VirtuosoURL, s) }},
		{Name: "virtuoso-user", Env: "SEGRAPH_VIRTUOSO_USER", Default: "dba", Arg: "NAME",
			Help: "The user who writes to Virtuoso, with the password in TRIPLESTORE_PASSWORD.",
			set:  func(c *Config, s string) error { return text(&c.VirtuosoUser, s) }},
		{Name: "virtuoso-graph", Env: "SEGRAPH_VIRTUOSO_GRAPH", Default: defaultGraph, Arg: "IRI",
			Help: "The name of the published graph in Virtuoso.",
			set:  func(c *Config, s string) error { return iri(&c.VirtuosoGraph, s) }},
		{Name: "sparql-query-url", Env: "SEGRAPH_SPARQL_QUERY_URL", Arg: "URL",
			Help: "The URL at which another SPARQL server accepts queries.",
			set:  func(c *Config, s string) error { return serviceURL(&c.SPARQLQueryURL, s) }},
		{Name: "sparql-update-url", Env: "SEGRAPH_SPARQL_UPDATE_URL", Arg: "URL",
			Help: "The URL at which that server accepts updates.",
			set:  func(c *Config, s string) error { return serviceURL(&c.SPARQLUpdateURL, s) }},
		{Name: "sparql-graph-store-url", Env: "SEGRAPH_SPARQL_GRAPH_STORE_URL", Arg: "URL",
			Help: "The URL at which that server accepts documents by the Graph Store Protocol. Without it, large documents are sent as several updates.",
			set:  func(c *Config, s string) error { return serviceURL(&c.GraphStoreURL, s) }},
		{Name: "sparql-user", Env: "SEGRAPH_SPARQL_USER", Arg: "NAME",
			Help: "The user of that server, with the password in TRIPLESTORE_PASSWORD. Without a user, requests are anonymous.",
			set:  func(c *Config, s string) error { c.SPARQLUser = s; return nil }},
		{Name: "sparql-graph", Env: "SEGRAPH_SPARQL_GRAPH", Default: defaultGraph, Arg: "IRI",
			Help: "The name of the published graph in that server.",
			set:  func(c *Config, s string) error { return iri(&c.SPARQLGraph, s) }},
	}
}
