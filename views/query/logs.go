package query

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
)

// shownLogs is how many logs of a triple are shown.
const shownLogs = 100

// getTripleLogs shows the logs that contributed a triple.
func (u *handlers) getTripleLogs(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	t, err := oneTriple(r.URL.Query().Get("triple"))
	if err != nil {
		return err
	}
	before, _ := strconv.ParseUint(r.URL.Query().Get("before"), 10, 63)
	page, err := u.Service.Logs(r.Context(), journal.Filter{Limit: shownLogs, Before: before}, []rdf.Quad{t.In(rdf.Term{})})
	if err != nil {
		return err
	}
	names := u.Prefixes(nil)
	m := TripleLogs{Triple: [3]views.Cell{views.CellOf(t.S, names), views.CellOf(t.P, names), views.CellOf(t.O, names)}}
	if page.Next > 0 {
		m.Older = "/query/logs?" + url.Values{"triple": {r.URL.Query().Get("triple")}, "before": {strconv.FormatUint(page.Next, 10)}}.Encode()
	}
	for _, e := range page.Entries {
		m.Logs = append(m.Logs, views.TripleLog{Time: e.Time, Actor: e.Sender(), Claimed: e.Claimed, LogID: e.LogID, Triples: e.Triples, Added: e.Added})
	}
	return u.Show(w, r, http.StatusOK, TripleLogsPage(u.Frame(r, v, "Logs of a triple"), m))
}

// oneTriple parses a triple of an address, in N-Triples without the full stop.
func oneTriple(text string) (rdf.Triple, error) {
	in := turtle.NewReader(strings.NewReader(text+" ."), turtle.NTriples, turtle.Options{})
	q, err := in.Read()
	if err == nil {
		if _, more := in.Read(); !errors.Is(more, io.EOF) {
			err = errors.New("there is more than one")
		}
	}
	if err != nil {
		return rdf.Triple{}, front.NewProblem(http.StatusUnprocessableEntity, "the address has no triple: %v", err)
	}
	return rdf.Triple{S: q.S, P: q.P, O: q.O}, nil
}
