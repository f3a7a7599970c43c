package webui

import (
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
)

// shownLogs is how many logs of a triple are shown.
const shownLogs = 100

// getTripleLogs shows the logs that contributed a triple.
func (u *UI) getTripleLogs(w http.ResponseWriter, r *http.Request, v *visit) error {
	t, err := oneTriple(r.URL.Query().Get("triple"))
	if err != nil {
		return err
	}
	page, err := u.service.Logs(r.Context(), journal.Filter{Limit: shownLogs}, quad(t))
	if err != nil {
		return err
	}
	names := u.names(nil)
	m := views.TripleLogs{Triple: [3]views.Cell{cell(t.S, names), cell(t.P, names), cell(t.O, names)}, More: page.Next > 0}
	for _, e := range page.Entries {
		m.Logs = append(m.Logs, views.TripleLog{Time: e.Time, Actor: e.Sender(), Claimed: e.Claimed, LogID: e.LogID, Triples: e.Triples, Added: e.Added})
	}
	return u.show(w, r, http.StatusOK, views.TripleLogsPage(u.frame(r, v, "Logs of a triple"), m))
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
