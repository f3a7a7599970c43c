package reports

import (
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/views/viewstest"
)

// reportPaths returns the paths of the whole page and of each single section.
func reportPaths() []string {
	out := []string{"/reports"}
	for _, name := range Names() {
		out = append(out, "/reports?section="+name)
	}
	return out
}

// The test checks the fastest quarter; the benchmark below reports the 95th percentile.
func TestReportsTakeThreeHundredMillisecondsOn100000Triples(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	if testing.Short() {
		t.Skip("-short: it stores 100,000 triples")
	}
	s := openService(t)
	s.PublishLife(suite.Size(100_000, 5_000))
	b := s.NewVisitor()
	for _, path := range reportPaths() {
		b.AnswersWithin(300*time.Millisecond, path, 2, 8)
		if path != "/reports" && strings.Contains(b.Get(path).Body.String(), "report waits") {
			t.Errorf("%s waits", path)
		}
	}
}

// BenchmarkReports measures the page, and each single section, with two sizes of a graph.
func BenchmarkReports(b *testing.B) {
	var names []string
	paths := map[string]string{}
	for _, path := range reportPaths() {
		name := strings.TrimPrefix(path, "/reports?section=")
		names, paths[name] = append(names, name), path
	}
	viewstest.BenchmarkPages(b, func(t testing.TB) *viewstest.Fixture { return openService(t).Fixture }, names, paths)
}
