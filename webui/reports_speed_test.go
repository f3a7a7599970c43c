package webui

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/webui/report"
)

// publishLife stores that many triples of suite.Life, and sets the clock to its end.
func (s *fixture) publishLife(triples int) {
	s.t.Helper()
	out, in := io.Pipe()
	go func() {
		buffered := bufio.NewWriterSize(in, 1<<20)
		err := suite.Life(buffered, triples)
		if err == nil {
			err = buffered.Flush()
		}
		in.CloseWithError(err)
	}()
	if _, err := s.store.Load(s.t.Context(), out, turtle.NTriples, turtle.Options{}, journal.Entry{LogID: journal.NewLogID(), Action: journal.Insert, Time: s.now}, nil); err != nil {
		s.t.Fatal(err)
	}
	s.now = suite.LifeEnd
}

// reportPaths are those of the whole page and of each section alone.
func reportPaths() []string {
	out := []string{"/reports"}
	for _, name := range report.Names() {
		out = append(out, "/reports?section="+name)
	}
	return out
}

// TestReportsTakeThreeHundredMillisecondsOn100000Triples judges by the faster quarter; the benchmark below tells the 95th of a hundred of
// as many as it is given time for.
func TestReportsTakeThreeHundredMillisecondsOn100000Triples(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it stores 100,000 triples")
	}
	s := openService(t)
	s.publishLife(suite.Size(100_000, 20_000))
	b := s.visitor()
	for _, path := range reportPaths() {
		b.answersWithin(300*time.Millisecond, path, 2, 8)
		if path != "/reports" && strings.Contains(b.get(path).Body.String(), "report waits") {
			t.Errorf("%s waits", path)
		}
	}
}

// BenchmarkReports is the page, and each section alone, at two sizes of a graph.
func BenchmarkReports(b *testing.B) {
	var names []string
	paths := map[string]string{}
	for _, path := range reportPaths() {
		name := strings.TrimPrefix(path, "/reports?section=")
		names, paths[name] = append(names, name), path
	}
	benchmarkPages(b, names, paths)
}
