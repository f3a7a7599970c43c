package service

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/segraph/segraph/service/admit"
)

// A query that ends the process is known from the log only if that has it while the query runs.
func TestAQueryThatRunsLongIsLoggedWhileItRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		s := &Service{log: slog.New(slog.NewTextHandler(&b, nil)), queries: admit.NewGate(2)}
		s.config.Limits.QueryPatience = time.Second
		short, err := s.beginQuery(t.Context(), "ASK { <urn:short> ?p ?o }")
		if err != nil {
			t.Fatal(err)
		}
		long, err := s.beginQuery(t.Context(), "ASK { <urn:long> ?p ?o }"+strings.Repeat("é", 5000))
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(longQuery - 1)
		short.end()
		time.Sleep(2 * time.Nanosecond)
		synctest.Wait()
		if text := b.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "running for 10s") || !strings.Contains(text, "<urn:long>") || len(text) > 5000 {
			t.Errorf("the log says %s", text)
		}
		long.end()
	})
}
