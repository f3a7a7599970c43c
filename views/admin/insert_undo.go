package admin

import (
	"net/http"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

// Limits of what is shown of logs that can be withdrawn.
const (
	shownInserts     = 3    // logs on the insert page
	withdrawnShown   = 20   // triples on the confirmation page
	withdrawnLetters = 8000 // characters of their text
)

// lastInserts returns the visitor's newest logs that can be withdrawn, at most shownInserts.
// While authentication is off, all visitors share them.
func (u *handlers) lastInserts(r *http.Request, v *views.Visit) ([]StoredLog, error) {
	all, err := u.Service.LastInserts(r.Context(), v.Actor, shownInserts)
	if err != nil {
		return nil, err
	}
	var out []StoredLog
	for _, e := range all {
		out = append(out, StoredLog{LogID: e.LogID, Time: e.Time, Triples: e.Triples, Claimed: e.Claimed, Withdraw: views.WithdrawPath(e.LogID)})
	}
	return out, nil
}

// askWithdrawal shows a log and asks whether to withdraw it.
func (u *handlers) askWithdrawal(w http.ResponseWriter, r *http.Request, v *views.Visit, logID string) error {
	log, err := u.Service.StoredLog(r.Context(), logID, views.LogRead)
	if err != nil {
		return err
	}
	e := log.Entries[0]
	const preview = true // only say what would go
	gone, err := u.Service.WithdrawAll(r.Context(), v.Actor, service.Choice{Logs: []string{logID}}, preview)
	if err != nil {
		return err
	}
	links := views.LinkLog(u.LogParties(r.Context()), log.Quads)
	m := Withdrawal{
		Log:   StoredLog{LogID: e.LogID, Time: e.Time, Triples: int(log.Total), Actor: e.Sender(), Claimed: e.Claimed, Address: e.From(), RequestID: e.RequestID},
		Other: !e.Page || e.Actor != v.Actor.Username,
		Read:  len(log.Quads), Removed: gone.Removed, Stayed: gone.Stayed, Contexts: gone.Contexts.Named, Begin: links.Begin, End: links.End, Names: links.Names,
	}
	for _, q := range log.Quads {
		switch q.P.Value() {
		case vocabulary.SchemaText:
			m.Texts = append(m.Texts, q.O.Value())
		case vocabulary.OnyxHasEmotionCategory:
			m.Emotions++
		}
	}
	log.Quads = log.Quads[:min(withdrawnShown, len(log.Quads))]
	var rows [][]rdf.Term
	for _, q := range log.Quads {
		rows = append(rows, []rdf.Term{q.S, q.P, q.O})
	}
	if m.Turtle, err = views.WriteTurtle(rows, u.Prefixes(nil)); err != nil {
		return err
	}
	if cut := []rune(m.Turtle); len(cut) > withdrawnLetters {
		m.Turtle = string(cut[:withdrawnLetters]) + "…"
	}
	m.More = m.Log.Triples - len(rows)
	f := u.Frame(r, v, "Withdraw a log")
	f.Marked = "/logs"
	return u.Show(w, r, http.StatusOK, WithdrawPage(f, m))
}

// cut reports whether the log has triples that were not read, so that it may tell more.
func (m Withdrawal) cut() bool { return m.Read < m.Log.Triples }

// atLeast says how many of something the log tells of.
func (m Withdrawal) atLeast(n int, noun string) string {
	if m.cut() {
		return "At least " + views.Plural(n, noun)
	}
	return views.Plural(n, noun)
}

// withdraw withdraws a log and invalidates the ticket with which it was stored.
func (u *handlers) withdraw(r *http.Request, v *views.Visit, user, logID string) (InsertResult, error) {
	if logID == "" {
		return InsertResult{}, front.NewProblem(http.StatusUnprocessableEntity, "the form does not name the log to withdraw")
	}
	gone, contexts, err := u.Service.Withdraw(r.Context(), v.Actor, user, logID)
	if err != nil {
		return InsertResult{}, err
	}
	u.tickets.forget(logID)
	return InsertResult{State: "withdrawn", LogID: logID, Removed: gone.Removed, Stayed: gone.Stayed, Contexts: contexts}, nil
}

// contextsGone says how many shared events went with a log, and how many stay.
func contextsGone(n store.WithdrawnContexts) string {
	stay := ""
	switch {
	case n.Stayed == 1:
		stay = "1 stays, because something else holds it"
	case n.Stayed > 0:
		stay = views.Count(n.Stayed) + " stay, because something else holds them"
	}
	if went := views.Count(n.Removed) + " went with it"; n.Removed > 0 && stay != "" {
		return went + "; " + stay
	} else if stay == "" {
		return went
	}
	return stay
}
