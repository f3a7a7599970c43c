package engine_test

import (
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/provenance"
)

// The engine's own tests can't import provenance, because provenance imports the engine.
// This package can.
func init() {
	engine.NewProvenance = func() engine.TestProvenance { return provenance.New(provenance.Options{}) }
}
