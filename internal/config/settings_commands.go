package config

// commandSettings returns the settings that only commands other than serve have.
func commandSettings() []Setting {
	return []Setting{
		{Name: "format", Env: "SEGRAPH_FORMAT", Arg: "FORMAT",
			Help: "The format: turtle, ntriples, trig or nquads; by default that of the file's name (.ttl, .nt, .trig, .nq). For query: table, json, xml, csv, tsv, turtle or ntriples. For resolve and config: text or json.",
			set: func(c *Config, s string) error {
				return oneOf(&c.Format, s, "", "turtle", "ntriples", "trig", "nquads", "table", "json", "xml", "csv", "tsv", "text")
			}},
		{Name: "url", Env: "SEGRAPH_URL", Arg: "URL",
			Help: "Use the API of a running service, such as http://localhost:5000, instead of the file.",
			set:  func(c *Config, s string) error { return serviceURL(&c.URL, s) }},
		{Name: "file", Env: "SEGRAPH_FILE", Arg: "FILE",
			Help: "A file with the query; - means stdin.",
			set:  func(c *Config, s string) error { c.File = s; return nil }},
		{Name: "explain", Env: "SEGRAPH_EXPLAIN", Default: "false",
			Help: "Print the query's plan instead of its answer: operators with estimated rows, actual rows and times. --format is table or json.",
			set:  func(c *Config, s string) error { return boolean(&c.Explain, s) }},
		{Name: "token-file", Env: "SEGRAPH_TOKEN_FILE", Arg: "FILE",
			Help: "A file with the token for the service at --url.",
			set:  func(c *Config, s string) error { c.TokenFile = s; return nil }},
		{Name: "token", Env: "SEGRAPH_TOKEN", Secret: true,
			Help: "The token for the service at --url.",
			set:  func(c *Config, s string) error { c.Token = s; return nil }},
		{Name: "out", Env: "SEGRAPH_OUT", Default: "-", Arg: "FILE",
			Help: "The file to write, replaced completely or not at all; - means stdout.",
			set:  func(c *Config, s string) error { return text(&c.Out, s) }},
		{Name: "head", Env: "SEGRAPH_HEAD", Arg: "HEAD",
			Help: "The head of the journal at an earlier time, as printed by `segraph audit verify`. The journal must be unchanged up to there.",
			set:  func(c *Config, s string) error { c.Head = s; return nil }},
		{Name: "user", Env: "SEGRAPH_USER", Arg: "NAME",
			Help: "The user of the token, or whose tokens to revoke.",
			set:  func(c *Config, s string) error { c.User = s; return nil }},
		{Name: "jti", Env: "SEGRAPH_JTI", Arg: "ID",
			Help: "The id of the token to revoke, its claim jti.",
			set:  func(c *Config, s string) error { c.TokenID = s; return nil }},
		{Name: "role", Env: "SEGRAPH_ROLE", Arg: "ROLE", List: true,
			Help: "What the token allows: admin, logger or auditor. Separate several by commas, or repeat the flag.",
			set:  func(c *Config, s string) error { c.Roles = list(s); return nil }},
		{Name: "expires", Env: "SEGRAPH_EXPIRES", Default: "24h", Arg: "TIME",
			Help: "How long the token is valid, such as 30m, 24h or 90d.",
			set:  func(c *Config, s string) error { return lifetime(&c.Expires, s) }},
		{Name: "dry-run", Env: "SEGRAPH_DRY_RUN", Default: "false",
			Help: "Decide in memory, starting with an empty store, and store nothing.",
			set:  func(c *Config, s string) error { return boolean(&c.DryRun, s) }},
	}
}
