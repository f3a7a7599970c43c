// Command segraph is a semantic event graph service: a store of RDF triples, its HTTP API
// and its web UI in one program. README.md says how to use it.
package main

import (
	"os"

	"github.com/segraph/segraph/cli"
)

func main() {
	os.Exit(cli.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
}
