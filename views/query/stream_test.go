package query

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/views/viewstest"
)

// heldStore delays each query until it receives how the query ends.
type heldStore struct {
	*persist.Store
	ending chan error
}

func (s heldStore) Query(ctx context.Context, q *sparql.Query, l budget.Limits, out sparql.Answer, triple func(rdf.Triple) error) error {
	select {
	case err := <-s.ending:
		if err != nil {
			return err
		}
	case <-ctx.Done():
		return ctx.Err()
	}
	return s.Store.Query(ctx, q, l, out, triple)
}

// TestASlowAnswerComesAfterTheEditor reads the page below a base path while its query waits.
// The editor arrives before the answer. The rest of the page follows, also if the query ends
// with a problem. An error of the service breaks the connection.
func TestASlowAnswerComesAfterTheEditor(t *testing.T) {
	for _, c := range []struct {
		name, want string
		end        error
		whole      bool
	}{
		{"answered", `class="verdict good"`, nil, true},
		{"stopped", "Time limit reached: no result", &budget.LimitError{Limit: "time", Detail: "1s"}, true},
		{"broken", "", errors.New("the disk is gone"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			ending := make(chan error)
			s := startWith(t, "", func(o *viewstest.Settings) {
				o.Queries, o.BasePath = heldStore{o.Queries.(*persist.Store), ending}, "/seg"
			})
			s.UI.Config.Patience = 80 * time.Millisecond
			server := httptest.NewServer(s.Pages)
			defer server.Close()
			res, err := http.Get(server.URL + "/seg" + viewstest.QueryPath("ASK {}"))
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			var page strings.Builder
			for part := make([]byte, 4096); !strings.Contains(page.String(), "The query is running."); {
				n, err := res.Body.Read(part)
				if err != nil {
					t.Fatal(err)
				}
				page.Write(part[:n])
			}
			if text := page.String(); res.StatusCode != 200 || !strings.Contains(text, ">ASK {}</textarea>") || !strings.Contains(text, ` href="/seg/reports"`) || strings.Contains(text, ` action="/query`) {
				t.Errorf("before the answer came %d %s", res.StatusCode, text)
			}
			ending <- c.end
			rest, err := io.ReadAll(res.Body)
			if whole := err == nil && strings.HasSuffix(strings.TrimSpace(string(rest)), "</html>"); whole != c.whole || !strings.Contains(string(rest), c.want) {
				t.Errorf("then came %v, %s", err, rest)
			}
		})
	}
}
