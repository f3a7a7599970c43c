package vocabulary

import _ "embed"

// Context is a JSON-LD context with the names of published logs: the usual prefixes, each
// class and property by its local name, and the types of values. Where two namespaces
// have one local name, such as Person, only the prefixed name stands for it.
//
//go:embed context.jsonld
var Context []byte

// ContextPath is where the API serves Context, and how a log names it.
const ContextPath = "/context.jsonld"
