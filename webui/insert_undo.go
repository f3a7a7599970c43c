package webui

import (
	"net/http"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
)

// Limits of what is shown of logs that can be withdrawn.
const (
	lastInserts      = 3    // logs on the insert page
	withdrawnShown   = 20   // triples on the confirmation page
	withdrawnLetters = 8000 // characters of their text
)

// lastInserts returns the visitor's newest logs that can be withdrawn. While
// authentication is off, all visitors share them.
func (u *UI) lastInserts(r *http.Request, v *visit) ([]views.StoredLog, error) {
	all, err := u.service.LastInserts(r.Context(), v.actor, lastInserts)
	if err != nil {
		return nil, err
	}
	var out []views.StoredLog
	for _, e := range all {
		out = append(out, views.StoredLog{LogID: e.LogID, Time: e.Time, Triples: e.Triples, Claimed: e.Claimed, Withdraw: withdrawPath(e.LogID)})
	}
	return out, nil
}

// askWithdrawal shows a log and asks whether to withdraw it.
func (u *UI) askWithdrawal(w http.ResponseWriter, r *http.Request, v *visit, logID string) error {
	log, err := u.service.StoredLog(r.Context(), logID, withdrawnShown)
	if err != nil {
		return err
	}
	e := log.Entries[0]
	m := views.Withdrawal{
		Log:   views.StoredLog{LogID: e.LogID, Time: e.Time, Triples: int(log.Total), Actor: e.Sender(), Claimed: e.Claimed, Address: e.From(), RequestID: e.RequestID},
		Other: !e.Page || e.Actor != v.actor.Username,
	}
	var rows [][]rdf.Term
	for _, q := range log.Quads {
		rows = append(rows, []rdf.Term{q.S, q.P, q.O})
	}
	if m.Turtle, err = writeTurtle(rows, u.names(nil)); err != nil {
		return err
	}
	if cut := []rune(m.Turtle); len(cut) > withdrawnLetters {
		m.Turtle = string(cut[:withdrawnLetters]) + "…"
	}
	m.More = m.Log.Triples - len(rows)
	return u.show(w, r, http.StatusOK, views.WithdrawPage(u.frame(r, v, "Withdraw a log"), m))
}

// withdraw withdraws a log and invalidates the ticket with which it was stored.
func (u *UI) withdraw(r *http.Request, v *visit, user, logID string) (views.InsertResult, error) {
	if logID == "" {
		return views.InsertResult{}, front.NewProblem(http.StatusUnprocessableEntity, "the form does not name the log to withdraw")
	}
	gone, err := u.service.Withdraw(r.Context(), v.actor, user, logID)
	if err != nil {
		return views.InsertResult{}, err
	}
	u.tickets.forget(logID)
	return views.InsertResult{State: "withdrawn", LogID: logID, Removed: gone.Removed, Stayed: gone.Stayed}, nil
}
