package admin

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
)

// maxShown is the largest document, in bytes, that is shown in the page's field. A larger
// one stays a file in the browser.
const maxShown = 256 << 10

// maxFindings is how many findings are shown.
const maxFindings = 50

// document is a Turtle document sent by a form.
type document struct {
	text []byte
	name string // file name; "" if it came from the field
	user string // the claimed user
}

// readDocument returns the document of a form: the file if there is one, otherwise the
// field. Browsers send the lines of a field with CR LF (HTML, "constructing the entry
// list"). readDocument restores LF, since line ends may be inside a literal.
func readDocument(form *front.Form) document {
	d := document{user: strings.TrimSpace(form.Value("user"))}
	if file, name := form.File("file"); file != nil {
		d.text, d.name = file, name
	} else {
		d.text = []byte(strings.ReplaceAll(form.Value("ttl"), "\r\n", "\n"))
	}
	return d
}

// large reports whether the document is a file that can't be shown in the field: it is larger than maxShown, or
// the field would change it.
func (d document) large() bool {
	return d.name != "" && (len(d.text) > maxShown || bytes.ContainsAny(d.text, "\r\x00") || !utf8.Valid(d.text))
}

// edited returns the text for a script to show in the field, or "" without a script or if the field can't have it.
func (d document) edited(r *http.Request) string {
	if !views.Partial(r) || d.large() {
		return ""
	}
	return string(d.text)
}

// getInsert shows an empty form, or an example log.
func (u *handlers) getInsert(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	if id := r.URL.Query().Get("withdraw"); id != "" {
		return u.askWithdrawal(w, r, v, id)
	}
	m := Insert{Actor: v.Actor.Username}
	if r.URL.Query().Get("start") == "minimal" {
		m.Text = minimalLog(v.Now)
	}
	return u.showInsert(w, r, v, http.StatusOK, m)
}

// postInsert checks a document, stores a checked one, edits one and checks it again, or withdraws a stored one. If the
// service refuses, the page says why.
func (u *handlers) postInsert(w http.ResponseWriter, r *http.Request, v *views.Visit, form *front.Form) error {
	d := readDocument(form)
	action, argument, _ := strings.Cut(form.Value("action"), " ")
	var result InsertResult
	err := auth.CheckName(d.user)
	if err != nil {
		d.user = "" // it may be a token, which must never be shown
		err = front.NewProblem(http.StatusUnprocessableEntity, "the user is %v", err)
	} else {
		switch action {
		case "withdraw":
			result, err = u.withdraw(r, v, d.user, form.Value("log"))
		case "insert":
			result, err = u.insert(r, v, d, form.Value("ticket"))
		case "declare":
			d.text = declare(d.text, argument, u.Prefixes(nil))
			result, err = u.check(r, v, d)
			result.Edited = d.edited(r)
		case "tidy":
			var tidied []byte
			if tidied, err = tidy(d.text); err == nil {
				d.text = tidied
			}
			result, err = u.check(r, v, d) // it also says why a document can't be tidied
			result.Edited = d.edited(r)
		default:
			result, err = u.check(r, v, d)
		}
	}
	status := http.StatusOK
	if err != nil {
		var told *front.Problem
		var refused *service.Error
		problem := front.ProblemOf(err)
		forReader := problem.Status < 500 || errors.As(err, &told) || errors.As(err, &refused)
		if !forReader {
			return err
		}
		status = problem.Status
		result = InsertResult{State: "problem", Problem: views.Problem{
			Status: status, Title: problem.Title, Detail: problem.Detail, RequestID: v.RequestID,
		}}
	}
	m := Insert{Actor: v.Actor.Username, User: d.user, Result: result}
	if !d.large() && result.State != "stored" && result.State != "withdrawn" {
		m.Text = string(d.text)
	}
	return u.showInsert(w, r, v, status, m)
}

// showInsert shows the page with m, or only its result if a script asks.
func (u *handlers) showInsert(w http.ResponseWriter, r *http.Request, v *views.Visit, status int, m Insert) error {
	if views.Partial(r) {
		return u.Show(w, r, status, Inserted(m.Result))
	}
	if m.Result.State == "" {
		var err error
		if m.Last, err = u.lastInserts(r, v); err != nil {
			return err
		}
	}
	m.Anyone = !u.Config.Auth.Enabled()
	f := u.Frame(r, v, "Publish a log")
	f.Scripts, f.Width = []string{"insert.js"}, "wide"
	return u.Show(w, r, status, InsertPage(f, m))
}

// check checks a document, and issues a ticket to store it if it is valid.
func (u *handlers) check(r *http.Request, v *views.Visit, d document) (InsertResult, error) {
	out := InsertResult{State: "checked", Document: d.name, Large: d.large()}
	if len(bytes.TrimSpace(d.text)) == 0 {
		empty := front.NewProblem(http.StatusUnprocessableEntity, "there is no text and no file")
		empty.Title = "Nothing to check"
		return out, empty
	}
	judged, err := u.Service.Validate(r.Context(), service.Publication{Content: d.text, Format: turtle.Turtle})
	if err != nil {
		return out, fmt.Errorf("check a document: %w", err)
	}
	out.Valid, out.Triples = judged.Valid, judged.TripleCount
	out.Findings = findings(d.text, judged, u.Prefixes(nil))
	out.More = judged.IssueCount - len(out.Findings)
	if out.Valid {
		out.Ticket = u.tickets.issue(d.text, v.Actor.Username)
		out.Known, err = u.known(r.Context(), d.text)
	}
	return out, err
}

// insert stores a document for which id is a valid ticket. If the ticket has stored it before, insert returns that log
// again. Without a valid ticket, it checks the document.
func (u *handlers) insert(r *http.Request, v *views.Visit, d document, id string) (InsertResult, error) {
	t := u.tickets.find(id, d.text, v.Actor.Username)
	if t == nil { // the document changed since its check, or the check is too old
		out, err := u.check(r, v, d)
		out.State = "changed"
		return out, err
	}
	t.Lock()
	defer t.Unlock()
	out := InsertResult{State: "again"}
	if t.stored == nil {
		stored, err := u.Service.Publish(r.Context(), v.Actor, service.Publication{Content: d.text, Format: turtle.Turtle, Claimed: d.user, Page: true}, nil)
		if err != nil {
			return out, err
		}
		t.stored, out.State = &stored, "stored"
		u.tickets.name(t, stored.LogID)
	}
	out.Withdraw = views.WithdrawPath(t.stored.LogID)
	log, err := u.Service.Log(r.Context(), t.stored.LogID, views.LogRead)
	if err != nil {
		return out, err
	}
	links := views.LinkLog(u.LogParties(r.Context()), log.Quads)
	out.Session, out.Graph = links.Session, links.Graph
	out.LogID, out.Triples, out.Added, out.StoredAs = t.stored.LogID, t.stored.Triples, t.stored.Added, t.stored.User
	return out, nil
}
