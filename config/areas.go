package config

import "slices"

// Area is a group of the service's settings that are for one thing.
type Area struct {
	Title, About string
	Names        []string // of the settings
}

// Areas returns the groups. Each setting of ServiceSettings is in one of them.
func Areas() []Area {
	return []Area{
		{"Addresses", "Where the service listens, and which hosts and pages may reach it.",
			[]string{"api", "ui", "base-path", "hosts", "cors-origins", "trusted-proxies"}},
		{"Encryption", "Certificates for HTTPS.", []string{"tls-cert", "tls-key", "tls-acme", "tls-acme-url"}},
		{"Access", "What signs tokens, and what takes more than a token.",
			[]string{"secret-key", "secret-key-previous", "allow-short-secret", "require-signatures", "two-persons"}},
		{"Data and backups", "Where the data is, how long it is kept, and when it is copied.",
			[]string{"data", "snapshot-every", "snapshot-keep", "snapshot-dir", "retention", "retention-rules", "exit-on-disk-error"}},
		{"Limits", "How much memory, time and connections requests may take.",
			[]string{"memory", "query-memory", "query-time", "queries", "connections", "client-connections"}},
		{"Graph", "What is accepted and indexed, and which store answers queries.",
			[]string{"text-index", "strict-iris", "compat", "store", "stores", "store-strict", "store-timeout", "virtuoso-url", "virtuoso-user", "virtuoso-graph",
				"sparql-query-url", "sparql-update-url", "sparql-graph-store-url", "sparql-user", "sparql-graph", "triplestore-password"}},
		{"Proof", "The transparency log and its witnesses.", []string{"origin", "signing-key", "log-public", "witnesses", "witness-of"}},
		{"Boxes and centres", "Where logs are forwarded to, and whose are received.",
			[]string{"forward-to", "forward-from", "forward-key-file", "forward-token-file", "forward-rate", "boxes", "forwarded-deletes"}},
		{"Watching", "The server log and the metrics.", []string{"log-level", "log-format", "metrics", "metrics-token"}},
		{"Shared events", "When observations of several robots count as one event.", ContextSettings()},
	}
}

// AreaOf returns the title and the sentence of a setting's group, or "" for a setting that is not the service's.
func AreaOf(name string) (title, about string) {
	for _, a := range Areas() {
		if slices.Contains(a.Names, name) {
			return a.Title, a.About
		}
	}
	return "", ""
}
