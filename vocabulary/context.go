package vocabulary

import _ "embed"

// Context is a JSON-LD context with the names of published logs: the usual prefixes, each
// class and property by its local name, and the types of values. If two namespaces have
// the same local name, such as Person, only the prefixed names are in it.
//
//go:embed context.jsonld
var Context []byte

// ContextPath is where the API serves Context, and how a log names it.
const ContextPath = "/context.jsonld"
