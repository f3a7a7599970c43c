package service

import (
	"context"
	"strings"
	"testing"

	"github.com/segraph/segraph/logs"
	"github.com/segraph/segraph/store"
)

// A panic ends its request only. So the request gives back what it took.
func TestAPanicGivesBackWhatTheRequestTook(t *testing.T) {
	t.Parallel()
	s := New(Config{Log: logs.New(logs.Options{Name: "none"}), Limits: Limits{Queries: 1, Workers: 1}})
	for name, request := range map[string]func(){
		"reading a long query": func() {
			_, _ = s.slotToRun(t.Context(), strings.Repeat(" ", shortQuery+1), func(context.Context) error { panic("a fault") })
		},
		"opening a text": func() {
			_, _ = s.makeText(t.Context(), s.exporters, 1<<20, "gzip", func(context.Context) (store.Export, error) { panic("a fault") })
		},
	} {
		func() {
			defer func() { _ = recover() }()
			request()
		}()
		if s.queries.Inside() != 0 || s.exporters.Inside() != 0 || s.memory.Used() != 0 {
			t.Errorf("%s: %d slots of queries, %d turns of exports and %d bytes of memory are taken", name, s.queries.Inside(), s.exporters.Inside(), s.memory.Used())
		}
	}
}
