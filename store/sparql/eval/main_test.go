package eval_test

import (
	"os"
	"testing"

	"github.com/segraph/segraph/store/memory"
	"github.com/segraph/segraph/store/sparql/eval"
)

func TestMain(m *testing.M) {
	eval.NewStored = func() eval.Stored { return &memory.Dataset{} }
	os.Exit(m.Run())
}
