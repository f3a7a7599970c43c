package explore

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/internal/quoted"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

// Limits of the lists of logs and of the journal.
const (
	ledgerRows = 12     // rows of a page
	ledgerRead = 1000   // triples of a log in a row
	ledgerText = 200    // texts that a search looks up, and triples that have them
	ledgerLook = 20_000 // logs that a page of a search looks through
)

// getLogs lists published logs, the newest first.
func (u *handlers) getLogs(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	m, f, err := ledgerOf(r.URL.Query(), v.Now)
	if err != nil {
		return err
	}
	m.Path, f.Action = "/logs", journal.Insert
	gone := m.Kind == "withdrawn"
	if gone {
		f.Action, f.Undone = journal.Withdraw, m.Text
	} else {
		f.Begins = m.Text
	}
	page, err := u.entries(r.Context(), &m, f)
	if err == nil && f.Begins != "" && len(page.Entries) == 0 { // no id begins so
		page, m.Cut, err = u.logsWith(r.Context(), m.Text, f)
	}
	if err != nil {
		return err
	}
	m.more(r.URL.Query(), page.Next)
	if !gone {
		page.Entries = journal.OncePerLog(page.Entries)
	}
	var logs []store.Log
	for _, e := range page.Entries {
		id := e.LogID
		if gone {
			id = e.Withdrawn
		}
		log, err := u.Service.Log(r.Context(), id, ledgerRead)
		if err != nil {
			return err
		}
		logs = append(logs, log)
	}
	if err := u.tellLogs(r.Context(), &m, logs, v.Actor.Is(auth.Admin)); err != nil {
		return err
	}
	for i, e := range page.Entries {
		if gone {
			m.Rows[i].State = "withdrawn by " + quoted.Name(e.Sender())
		}
	}
	return u.Show(w, r, http.StatusOK, LedgerPage(u.Frame(r, v, "Logs"), m))
}

// ledgerOf reads the filter of a list from an address. Its text is in lower case.
func ledgerOf(given url.Values, now time.Time) (m Ledger, f journal.Filter, err error) {
	m = Ledger{Text: strings.ToLower(strings.TrimSpace(given.Get("q"))), By: strings.TrimSpace(given.Get("by")), Kind: given.Get("kind"), Last: given.Get("last")}
	if auth.CheckName(m.By) != nil || auth.CheckName(m.Text) != nil { // it may be a token, which no page shows
		m.By, m.Text = "", ""
	}
	f = journal.Filter{Limit: ledgerRows, Actor: m.By}
	if days, ok := map[string]int{"day": 1, "week": 7, "month": 30}[m.Last]; ok {
		f.Since = now.AddDate(0, 0, -days)
	}
	if text := given.Get("before"); text != "" {
		if f.Before, err = strconv.ParseUint(text, 10, 63); err != nil {
			return m, f, badPage(text)
		}
		m.Continued = true
	}
	return m, f, nil
}

// entries returns a page of the entries that match a filter. No page follows one of ids: if there are more, it sets m.Cut.
func (u *handlers) entries(ctx context.Context, m *Ledger, f journal.Filter) (page journal.Page, err error) {
	if f.Begins == "" {
		return u.Service.Logs(ctx, f, nil)
	}
	if f.Before > 0 { // a page after one of words
		return page, nil
	}
	f.Limit++
	if page, err = u.Service.Logs(ctx, f, nil); len(page.Entries) == f.Limit {
		page.Entries, m.Cut = page.Entries[:f.Limit-1], true
	}
	return page, err
}

// logsWith returns a page of the logs that contributed a text or a name with some words. If too many texts and names have
// them, it looks up only some, and cut is true.
func (u *handlers) logsWith(ctx context.Context, words string, f journal.Filter) (page journal.Page, cut bool, err error) {
	texts, cut, err := u.Service.Containing(ctx, rdf.KindLiteral, words, ledgerText)
	if err != nil || len(texts) == 0 {
		return page, cut, err
	}
	var values strings.Builder
	for _, t := range texts {
		values.WriteString(t.String() + " ")
	}
	rows, err := u.Ask(ctx, fmt.Sprintf("SELECT ?s ?p ?o { VALUES ?o { %s } ?s ?p ?o } LIMIT %d", values.String(), ledgerText+1))
	if err != nil {
		return page, cut, err
	}
	if len(rows) > ledgerText {
		rows, cut = rows[:ledgerText], true
	}
	quads := []rdf.Quad{} // not nil, which stands for all logs
	for _, row := range rows {
		quads = append(quads, rdf.Quad{S: row[0], P: row[1], O: row[2]})
	}
	f.Begins, f.Look = "", ledgerLook
	page, err = u.Service.Logs(ctx, f, quads)
	return page, cut, err
}

// tellLogs adds a row for each log: what it tells, who sent it, and when. Only an admin can withdraw one.
func (u *handlers) tellLogs(ctx context.Context, m *Ledger, logs []store.Log, admin bool) error {
	told, err := u.tellEach(ctx, u.LogParties(ctx), logs)
	for i, log := range logs {
		e := log.Entries[0]
		row := LedgerRow{Text: told[i].text, Robots: told[i].robots, Href: views.LogPath(e.LogID), ID: e.LogID, Who: e.Sender(), Claimed: e.Claimed, At: e.Time, Of: told[i].begin, Number: log.Triples()}
		switch {
		case !log.Kept:
			row.State = "not in the graph"
		case admin:
			row.Withdraw = views.WithdrawPath(e.LogID)
		}
		m.Rows = append(m.Rows, row)
	}
	return err
}

// toldLog is what a log tells, by which robots, and when that began.
type toldLog struct {
	text   string
	robots []string
	begin  time.Time
}

// tellEach tells some logs: their first activity and how many more they have, a state, or else whom they name. With an
// error, activities may be missing.
func (u *handlers) tellEach(ctx context.Context, names views.Names, logs []store.Log) (out []toldLog, err error) {
	var acts []string
	timed := make([][]string, len(logs))
	for i, log := range logs {
		links := views.LinkLog(names, log.Quads)
		var named []string
		for _, n := range links.Names {
			named = append(named, quoted.Value(n.Name))
		}
		text := cmp.Or(stateText(names, log.Quads), views.FewOf(named), "a log without robots or people")
		out = append(out, toldLog{text, u.robotsOf(links.Names), links.Begin})
		if timed[i] = links.Timed; len(timed[i]) > 0 {
			acts = append(acts, timed[i][0])
		}
	}
	persons, err := u.Persons(ctx)
	if err != nil {
		return out, err
	}
	y := newWhy(persons)
	y.brief = true
	told, err := u.tellActs(ctx, y, acts, u.Prefixes(nil))
	for i, all := range timed {
		at := slices.IndexFunc(told, func(a WhyAct) bool { return len(all) > 0 && a.Href == views.WhyAddress(all[0]) })
		switch {
		case at < 0:
		case len(logs[i].Quads) < int(logs[i].Total):
			out[i].text = told[at].Text + ", and more"
		case len(all) > 1:
			out[i].text = told[at].Text + ", and " + views.Count(len(all)-1) + " more"
		default:
			out[i].text = told[at].Text
		}
	}
	return out, err
}

// stateProperties is how many properties of a state are told.
const stateProperties = 3

// stateText tells the state of a robot that a log has, or returns "".
func stateText(names views.Names, quads []rdf.Quad) string {
	var who, place string
	var ids, values = map[rdf.Term]string{}, map[rdf.Term]string{}
	var properties []rdf.Term
	for _, q := range quads {
		switch q.P.Value() {
		case vocabulary.ProvWasAttributedTo:
			who = cmp.Or(who, names[q.O.Value()])
		case vocabulary.ProvAtLocation:
			place = cmp.Or(place, views.Words(views.Short(q.O.Value())))
		case vocabulary.SchemaPropertyID:
			ids[q.S], properties = views.Words(q.O.Value()), append(properties, q.S)
		case vocabulary.SchemaValue:
			values[q.S] = q.O.Value()
		}
	}
	if who == "" || place == "" && len(properties) == 0 {
		return ""
	}
	text := quoted.Name(who) + " was"
	if place != "" {
		text += " at " + quoted.Name(place)
	}
	for i, p := range properties[:min(len(properties), stateProperties)] {
		text += []string{": ", ", "}[min(i, 1)] + quoted.Value(ids[p]+" "+values[p])
	}
	return text
}

// journalKinds are the kinds that the journal's page offers, with what an entry of each says.
var journalKinds = []struct {
	Action     journal.Action
	Name, Says string
}{
	{journal.Insert, "Logs", "Published a log"}, {journal.Withdraw, "Withdrawals", "Withdrew a log"},
	{journal.WithdrawContexts, "Events withdrawn", "Removed events of withdrawn logs"},
	{journal.Resolve, "Observations", "Reported an observation"},
	{journal.Accept, "Answers “Same event”", "Answered “Same event”"}, {journal.Reject, "Answers “Different”", "Answered “Different”"},
	{journal.Undo, "Reversals", "Reversed an answer"}, {journal.Clock, "Clocks", "Decided on the clock of a robot"},
	{journal.Relay, "Relays", "Decided whether a robot is a relay"}, {journal.Subject, "Subjects", "Decided whether a subject is one person"},
	{journal.Issue, "Tokens issued", "Issued a token"}, {journal.Revoke, "Tokens revoked", "Revoked tokens"},
	{journal.UseKey, "Keys added", "Added a robot’s key"}, {journal.DropKey, "Keys removed", "Removed a robot’s key"},
	{journal.Clear, "Deletions", "Deleted all"}, {journal.Restore, "Restores", "Restored a backup"},
	{journal.Remark, "Notes", "Wrote a note"}, {journal.CaseFile, "Case files", "Made a case file"}, {journal.Erasure, "Erasures", "Erased a person"},
	{journal.Look, "Looks at people", "Looked at what is kept of a person"}, {journal.Hold, "Legal holds", "Began a legal hold"}, {journal.Lift, "Holds lifted", "Lifted a legal hold"},
	{journal.Forwarded, "Forwarded", "Took over an entry of a box"}, {journal.Expire, "Retention", "Removed what was too old"},
	{journal.Origin, "Origins", "Began an origin of the transparency log"}, {journal.Rotate, "Key changes", "Changed the transparency log’s key"},
}

// getJournal lists the entries of the journal, the newest first.
func (u *handlers) getJournal(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	m, f, err := ledgerOf(r.URL.Query(), v.Now)
	if err != nil {
		return err
	}
	m.Path, f.Action, f.Begins = "/journal", journal.Action(m.Kind), m.Text
	page, err := u.entries(r.Context(), &m, f)
	if err != nil {
		return err
	}
	m.more(r.URL.Query(), page.Next)
	var logs []store.Log
	for _, e := range page.Entries {
		id := map[journal.Action]string{journal.Insert: e.LogID, journal.Withdraw: e.Withdrawn}[e.Action]
		if id == "" {
			logs = append(logs, store.Log{})
			continue
		}
		log, err := u.Service.Log(r.Context(), id, ledgerRead)
		if err != nil {
			return err
		}
		logs = append(logs, log)
	}
	names := u.LogParties(r.Context())
	told, err := u.tellEach(r.Context(), names, logs)
	if err != nil {
		return err
	}
	next := uint64(0) // the number of the entry before
	for i, e := range page.Entries {
		if whole := m.Kind+m.By+m.Text+m.Last == ""; whole && next > e.Seq+1 { // without a filter, only observations are left out
			m.Rows = append(m.Rows, hiddenRow(e.Seq+1, next-1))
		}
		next = e.Seq
		row := entryRow(&e, names)
		if len(logs[i].Entries) > 0 {
			row.Text = map[bool]string{true: "Published: ", false: "Withdrew the log: "}[e.Action == journal.Insert] + told[i].text + boxOf(&e)
		}
		if n := len(m.Rows); e.Action == journal.Look && m.Kind == "" && n > 0 && m.Rows[n-1].Text == row.Text && m.Rows[n-1].sender() == row.sender() {
			m.Rows[n-1].Again++
			continue
		}
		m.Rows = append(m.Rows, row)
	}
	return u.Show(w, r, http.StatusOK, LedgerPage(u.Frame(r, v, "Journal"), m))
}

// hiddenRow stands for the observations with some numbers, which the journal's page leaves out.
func hiddenRow(first, last uint64) LedgerRow {
	n := int(last - first + 1)
	text := views.Plural(n, "observation") + ", entry " + strconv.FormatUint(first, 10)
	if n > 1 {
		text = views.Plural(n, "observation") + ", entries " + strconv.FormatUint(first, 10) + " to " + strconv.FormatUint(last, 10)
	}
	return LedgerRow{Text: text, Href: "/journal?kind=" + string(journal.Resolve) + "&before=" + strconv.FormatUint(last+1, 10), Hidden: true}
}

// boxOf says which box forwarded an entry, or returns "".
func boxOf(e *journal.Numbered) string {
	if e.Box == "" {
		return ""
	}
	return ", from the box " + quoted.Name(e.Box)
}

// detailText returns the detail of an entry for a sentence, between quotation marks. What package resolver writes before the
// reason of a decision has none, and names stand for the IRIs in it.
func detailText(e *journal.Numbered, names views.Names) string {
	if e.Action != journal.Subject && e.Action != journal.Relay {
		return quoted.Value(e.Detail)
	}
	for _, says := range []string{"is one person with ", "is another person than ", "repeats the reports of "} {
		rest, ours := strings.CutPrefix(e.Detail, says)
		list, reason, _ := strings.Cut(rest, ": ")
		var who []string
		for _, iri := range strings.Split(list, " and ") {
			ours = ours && rdf.IsIRI(iri)
			who = append(who, quoted.Name(cmp.Or(names[iri], iri)))
		}
		if !ours {
			continue
		}
		text := says + strings.Join(who, " and ")
		if reason != "" {
			text += ": " + quoted.Value(reason)
		}
		return text
	}
	return quoted.Value(e.Detail)
}

// entryRow says in words what an entry did, to whom and to how much.
func entryRow(e *journal.Numbered, names views.Names) LedgerRow {
	row := LedgerRow{Text: "Changed the file: " + string(e.Action), Href: views.LogPath(e.LogID), ID: e.LogID, Who: e.Sender(), Claimed: e.Claimed, At: e.Time, Number: int(e.Seq)}
	for _, k := range journalKinds {
		if k.Action == e.Action {
			row.Text = k.Says
		}
	}
	switch e.Action {
	case journal.Issue: // what package service writes: the token's id, its roles and its end
		_, rest, _ := strings.Cut(e.Detail, ", ")
		roles, end, _ := strings.Cut(rest, ", until ")
		if until, err := time.Parse(time.RFC3339, end); err == nil {
			row.Text += " to " + quoted.Name(e.Owner) + ": " + roles + ", until " + until.Format("2 Jan 2006")
			return row
		}
	case journal.Look:
		if e.Subject != "" { // which an erasure takes
			row.Text = "Looked at what is kept of " + quoted.Name(names.Of(e.Subject))
		}
	case journal.Hold, journal.Lift:
		first, _, _ := strings.Cut(e.Subject, " ") // of a person's IRIs, or of what is held, in words
		switch id, isLog := strings.CutPrefix(e.Subject, "the log "); {
		case isLog:
			row.Text += ", on the log " + quoted.Value(id)
		case rdf.IsIRI(first):
			row.Text += ", on " + quoted.Name(names.Of(first))
		case e.Subject != "":
			row.Text += ", on logs " + e.Subject
		}
	}
	for _, value := range []string{e.Robot, e.Owner, e.Revoked.Username} {
		if value != "" {
			row.Text += ", " + quoted.Value(views.Short(value))
		}
	}
	switch {
	case e.Triples > 0:
		row.Text += ", " + views.Plural(e.Triples, "triple")
	case e.Removed > 0:
		row.Text += ", " + views.Plural(int(e.Removed), "triple") + " less"
	}
	if e.BoxAction != "" {
		row.Text += ", " + quoted.Value(string(e.BoxAction))
	}
	row.Text += boxOf(e)
	if e.Detail != "" && e.Action != journal.Resolve {
		row.Text += ": " + detailText(e, names)
	}
	return row
}
