package httpapi

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/internal/suite"
)

// BenchmarkBatch measures lines of one connection, 200 in a request, on a file, without the
// network. An operation is a line.
func BenchmarkBatch(b *testing.B) {
	for name, observed := range map[string]bool{"logs": false, "observed": true} {
		b.Run(name, func(b *testing.B) {
			s := newSignedService(b)
			token := s.token(b, auth.Logger)
			const lines = 200
			b.ReportAllocs()
			for n := 0; n < b.N; n += lines {
				b.StopTimer()
				var body strings.Builder
				for i := range min(lines, b.N-n) {
					body.WriteString(suite.Line(n+i, observed))
				}
				request := call{method: "POST", path: "/batch", body: body.String(), contentType: linesTypes[0], token: token}.request()
				b.StartTimer()
				w := httptest.NewRecorder()
				s.Handler().ServeHTTP(w, request)
				if w.Code != 200 || strings.Contains(w.Body.String(), `"title"`) {
					b.Fatal(w.Code, w.Body)
				}
			}
		})
	}
}
