package config

import "slices"

// commandSettings returns the settings that only commands other than serve have. The
// environment sets none but those of a client, so that the name of a flag can't be taken
// for a setting of the service.
func commandSettings() []Setting {
	return slices.Concat(sourceSettings(), proofFlags(), choiceFlags())
}

// sourceSettings returns the settings that say what a command reads and writes.
func sourceSettings() []Setting {
	return []Setting{
		{Name: "format", Arg: "FORMAT",
			Help: "The format: turtle, ntriples, trig, nquads, rdfxml or (for load) jsonld; by default that of the file's name (.ttl, .nt, .trig, .nq, .rdf, .jsonld). For query: table, json, xml, csv, tsv, turtle, ntriples, rdfxml or jsonld. For resolve and config: text or json.",
			In:   map[string]string{"load": "The format: turtle, ntriples, trig, nquads, rdfxml or jsonld; by default that of the file's name (.ttl, .nt, .trig, .nq, .rdf, .jsonld).", "dump": "The format: turtle, ntriples, trig, nquads or rdfxml; by default that of the file's name (.ttl, .nt, .trig, .nq, .rdf).", "query": "The format: table, json, xml, csv, tsv, turtle, ntriples, rdfxml or jsonld.", "person": "The format: text, json, turtle, ntriples, rdfxml or jsonld.", "resolve": "The format: text or json.", "config": "The format: text or json."},
			set: func(c *Config, s string) error {
				return oneOf(&c.Format, s, "", "turtle", "ntriples", "trig", "nquads", "rdfxml", "jsonld", "table", "json", "xml", "csv", "tsv", "text")
			}},
		{Name: "url", Env: "SEGRAPH_URL", Arg: "URL",
			Help: "Use the API of a running service, such as http://localhost:5000, instead of the file.",
			set:  func(c *Config, s string) error { return serviceURL(&c.URL, s) }},
		{Name: "file", Arg: "FILE",
			Help: "A file with the query; - means stdin.",
			set:  func(c *Config, s string) error { c.File = s; return nil }},
		{Name: "explain", Default: "false",
			Help: "Print the query's plan instead of its answer: operators with estimated rows, actual rows and times. --format is table or json.",
			set:  func(c *Config, s string) error { return boolean(&c.Explain, s) }},
		{Name: "live", Default: "false",
			Help: "Play the last session in real time, and let the audience decide cases by phone.",
			set:  func(c *Config, s string) error { return boolean(&c.Live, s) }},
		{Name: "fleet", Default: "false",
			Help: "Run a box for each robot, and a centre (docs/fleet.md).",
			set:  func(c *Config, s string) error { return boolean(&c.Fleet, s) }},
		{Name: "map", Env: "SEGRAPH_MAP", Arg: "FILE",
			Help: "A file that says which topics of the robots tell what (docs/connect.md). The default is the built-in map of one robot.",
			set:  func(c *Config, s string) error { c.Map = s; return nil }},
		{Name: "robot-authorization", Env: "SEGRAPH_ROBOT_AUTHORIZATION", Secret: true,
			Help: "The Authorization header for the robot's server, such as Bearer and a token.",
			set:  func(c *Config, s string) error { c.RobotAuthorization = s; return nil }},
		{Name: "token-file", Arg: "FILE",
			Help: "A file with the token for the service at --url.",
			set:  func(c *Config, s string) error { c.TokenFile = s; return nil }},
		{Name: "token", Env: "SEGRAPH_TOKEN", Secret: true,
			Help: "The token for the service at --url.",
			set:  func(c *Config, s string) error { c.Token = s; return nil }},
		{Name: "out", Default: "-", Arg: "FILE",
			Help: "The file to write, replaced completely or not at all; - means stdout. With evidence verify, a new folder for the members.",
			In:   map[string]string{"dump": "The file to write, replaced completely or not at all; - means stdout.", "erase": "The file to write, replaced completely or not at all; - means stdout."},
			set:  func(c *Config, s string) error { return text(&c.Out, s) }},
		{Name: "canonical", Default: "false",
			Help: "Write canonical N-Quads (RDFC-1.0): equal graphs give equal bytes.",
			set:  func(c *Config, s string) error { return boolean(&c.Canonical, s) }},
	}
}

// proofFlags returns the flags of evidence and keys.
func proofFlags() []Setting {
	return []Setting{
		{Name: "head", Arg: "HEAD",
			Help: "The head of the journal at an earlier time, as printed by `segraph audit verify`. The journal must be unchanged up to there.",
			set:  func(c *Config, s string) error { c.Head = s; return nil }},
		{Name: "log", Arg: "ID", List: true,
			Help: "Prove, or hold, the log with this id. Separate several ids by commas, or repeat the flag.",
			In:   map[string]string{"evidence": "Prove the log with this id. Separate several ids by commas, or repeat the flag.", "hold": "Hold the log, observation or decision with this id."},
			set:  func(c *Config, s string) error { c.Choice.Logs = list(s); return nil }},
		{Name: "iri", Arg: "IRI",
			Help: "Prove all triples with this subject or object, or hold a person.",
			In:   map[string]string{"evidence": "Prove all triples with this subject or object.", "hold": "Hold this person."},
			set:  func(c *Config, s string) error { c.Choice.IRI = s; return nil }},
		{Name: "query", Arg: "FILE",
			Help: "A file with a query; - means stdin. Prove the triples that a CONSTRUCT or DESCRIBE returns, or those that the patterns of a SELECT or ASK match. With withdraw: a SELECT whose first column has log ids, or IRIs that the logs say something about.",
			In:   map[string]string{"evidence": "A file with a query; - means stdin. Prove the triples that a CONSTRUCT or DESCRIBE returns, or those that the patterns of a SELECT or ASK match.", "withdraw": "A file with a SELECT whose first column has log ids, or IRIs that the logs say something about; - means stdin."},
			set:  func(c *Config, s string) error { c.Choice.Query = s; return nil }},
		{Name: "case", Arg: "ID",
			Help: "Prove what was reported and decided on this review case.",
			set:  func(c *Config, s string) error { c.Choice.Case = s; return nil }},
		{Name: "from", Arg: "TIME",
			Help: "Prove all entries of the journal from this time until --to, and that none is missing. An example is 2026-11-23T12:00:00Z. With withdraw and hold: the logs since this time.",
			In:   map[string]string{"evidence": "Prove all entries of the journal from this time until --to, and that none is missing. An example is 2026-11-23T12:00:00Z.", "hold": "The logs since this time. An example is 2026-11-23T12:00:00Z.", "withdraw": "The logs since this time. An example is 2026-11-23T12:00:00Z."},
			set:  func(c *Config, s string) error { return instant(&c.Choice.From, s) }},
		{Name: "to", Arg: "TIME",
			Help: "The end of the interval that --from begins. With withdraw and hold: the logs before this time.",
			In:   map[string]string{"evidence": "The end of the interval that --from begins.", "hold": "The logs before this time.", "withdraw": "The logs before this time."},
			set:  func(c *Config, s string) error { return instant(&c.Choice.To, s) }},
		{Name: "key", Arg: "KEY",
			Help: "The log's verifier key, as `segraph audit key` prints it, from somebody you trust.",
			set:  func(c *Config, s string) error { c.Choice.Key = s; return visible(s) }},
		{Name: "witness", Arg: "KEY", List: true,
			Help: "The verifier key of a witness that must have cosigned the bundle's checkpoint, from somebody you trust. Separate several by commas, or repeat the flag.",
			set:  func(c *Config, s string) error { return verifierKeys(&c.Choice.Witnesses, s) }},
	}
}

// choiceFlags returns the settings that say what a command acts on.
func choiceFlags() []Setting {
	return []Setting{
		{Name: "user", Arg: "NAME",
			Help: "The user of a new token, or the one whose tokens to revoke. With --from: show only the logs of this user. With withdraw: the sender of the logs, by token or by claim.",
			In:   map[string]string{"token": "The user of a new token, or the one whose tokens to revoke.", "evidence": "With --from: show only the logs of this user.", "withdraw": "The logs of this sender, by token or by claim."},
			set:  func(c *Config, s string) error { c.User = s; return nil }},
		{Name: "robot", Arg: "IRI",
			Help: "The logs with an activity of this robot.",
			set:  func(c *Config, s string) error { return optionalIRI(&c.Robot, s) }},
		{Name: "kind", Arg: "IRI",
			Help: "The logs with something of this class.",
			set:  func(c *Config, s string) error { return optionalIRI(&c.Kind, s) }},
		{Name: "forgotten", Arg: "TEXT",
			Help: "Look for this text, such as an IRI, in everything that the file holds.",
			set:  func(c *Config, s string) error { c.Sought = s; return nil }},
		{Name: "yes", Default: "false",
			Help: "Withdraw the chosen logs, or erase the person; otherwise it is only said what that would be.",
			In:   map[string]string{"withdraw": "Withdraw the chosen logs; otherwise they are only listed.", "erase": "Erase the person; otherwise it is only said what that would be."},
			set:  func(c *Config, s string) error { return boolean(&c.Yes, s) }},
		{Name: "reason", Arg: "TEXT",
			Help: "Why a person is erased, or something must be kept. The journal keeps it.",
			In:   map[string]string{"erase": "Why the person is erased. The journal keeps it.", "hold": "Why this must be kept. The journal keeps it."},
			set:  func(c *Config, s string) error { c.Reason = s; return visible(s) }},
		{Name: "until", Arg: "TIME",
			Help: "When a legal hold ends. By default it lasts until it is lifted.",
			set:  func(c *Config, s string) error { return instant(&c.HoldUntil, s) }},
		{Name: "pseudonymise", Default: "false",
			Help: "Keep what the person did, under a random IRI.",
			set:  func(c *Config, s string) error { return boolean(&c.Pseudonymise, s) }},
		{Name: "wait", Arg: "TIME",
			Help: "How long to ask again until the service is ready, such as 30s; by default it is asked once.",
			set: func(c *Config, s string) error {
				if s == "" {
					return nil
				}
				return lifetime(&c.Wait, s)
			}},
		{Name: "jti", Arg: "ID",
			Help: "The id of the token to revoke, its claim jti.",
			set:  func(c *Config, s string) error { c.TokenID = s; return nil }},
		{Name: "role", Arg: "ROLE", List: true,
			Help: "What the token allows: admin, logger, auditor or box. Separate several by commas, or repeat the flag.",
			set:  func(c *Config, s string) error { c.Roles = list(s); return nil }},
		{Name: "expires", Default: "24h", Arg: "TIME",
			Help: "How long the token is valid, such as 30m, 24h or 90d.",
			set:  func(c *Config, s string) error { return lifetime(&c.Expires, s) }},
		{Name: "dry-run", Default: "false",
			Help: "Store nothing. resolve decides in memory, starting with an empty store; import lists topics, types, rules and what no rule takes.",
			In:   map[string]string{"resolve": "Store nothing: decide in memory, starting with an empty store.", "import": "Store nothing: list topics, types, rules and what no rule takes."},
			set:  func(c *Config, s string) error { return boolean(&c.DryRun, s) }},
	}
}
