package reports

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"time"

	"github.com/segraph/segraph/evidence"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/vocabulary"
)

// Limits of the page that asks for a case file.
const (
	readLogs   = 100 // logs whose lines it reads
	shownLines = 8
	mostChosen = 12 // logs that a reader may leave out, one by one
)

// begin fills in how a case file would begin, with at most evidence.MaxTriples triples of readLogs logs. The error is a
// *service.Error if it would have no log, or too many.
func (u *handlers) begin(ctx context.Context, m *CaseForm) error {
	logs, err := u.Service.CaseFileLogs(ctx, m.Scope)
	if err != nil {
		return err
	}
	m.Count = len(logs)
	record, models, left := &evidence.Record{}, []rdf.Term(nil), evidence.MaxTriples
	for _, id := range logs[:min(len(logs), readLogs)] {
		log, err := u.Service.Log(ctx, id, left)
		if err != nil {
			return err
		}
		left -= len(log.Quads)
		m.Part = m.Part || int64(len(log.Quads)) < log.Total
		record.Logs = append(record.Logs, evidence.RecordLog{Quads: log.Quads})
		for _, q := range log.Quads {
			if q.P.Value() == vocabulary.SegbUsedMLModel {
				models = with(models, q.O)
			}
		}
	}
	names := map[string]string{}
	maps.Copy(names, u.Parties(ctx))
	maps.Copy(names, u.Labels(ctx, [][]rdf.Term{models}))
	f, err := u.readRows(ctx, record, names)
	if err != nil {
		return err
	}
	m.Part = m.Part || len(logs) > readLogs
	m.Begins = CaseDocument{About: m.About, Rows: f.rows}
	return nil
}

// firstLines returns the document with its first lines only, without their links to logs and to other lines, which are not
// on the page.
func (m CaseDocument) firstLines() CaseDocument {
	m.Rows = slices.Clone(m.Rows[:min(len(m.Rows), shownLines)])
	for i := range m.Rows {
		m.Rows[i].Logs, m.Rows[i].Because = nil, nil
	}
	return m
}

// scopeValues returns the fields of the form of a case file.
func scopeValues(s service.CaseFileScope, reason string) url.Values {
	out := url.Values{"reason": {reason}, "log": s.Logs, "robot": s.Robots}
	for name, value := range map[string]string{"iri": s.IRI, "why": s.Why, "q": s.Words} {
		if value != "" {
			out.Set(name, value)
		}
	}
	for name, at := range map[string]time.Time{"from": s.From, "to": s.To} {
		if !at.IsZero() {
			out.Set(name, exact(at))
		}
	}
	return out
}
