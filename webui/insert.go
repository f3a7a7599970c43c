package webui

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/auth"
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

// large reports whether the document can't be shown in the field, because it is a file or
// the field would change it.
func (d document) large() bool {
	return d.name != "" && (len(d.text) > maxShown || bytes.ContainsAny(d.text, "\r\x00") || !utf8.Valid(d.text))
}

// getInsert shows an empty form, or an example log.
func (u *UI) getInsert(w http.ResponseWriter, r *http.Request, v *visit) error {
	if id := r.URL.Query().Get("withdraw"); id != "" {
		return u.askWithdrawal(w, r, v, id)
	}
	m := views.Insert{Actor: v.actor.Username}
	if r.URL.Query().Get("start") == "minimal" {
		m.Text = minimalLog(v.now)
	}
	return u.showInsert(w, r, v, http.StatusOK, m)
}

// postInsert checks a document, stores a checked one, or edits it.
func (u *UI) postInsert(w http.ResponseWriter, r *http.Request, v *visit) error {
	form, err := u.front.ReceiveForm(w, r)
	if err != nil {
		return err
	}
	defer form.Close()
	d := readDocument(form)
	action, argument, _ := strings.Cut(form.Value("action"), " ")
	var result views.InsertResult
	if err = auth.CheckName(d.user); err != nil {
		d.user = "" // it may be a token, which must never be shown
		err = front.NewProblem(http.StatusUnprocessableEntity, "the user is %v", err)
	} else {
		switch action {
		case "withdraw":
			result, err = u.withdraw(r, v, d.user, form.Value("log"))
		case "insert":
			result, err = u.insert(r, v, d, form.Value("ticket"))
		case "declare":
			d.text = declare(d.text, argument, u.names(nil))
			result, err = u.check(r, v, d)
		case "tidy":
			var tidied []byte
			if tidied, err = tidy(d.text); err == nil {
				d.text = tidied
			}
			result, err = u.check(r, v, d)
		default:
			result, err = u.check(r, v, d)
		}
	}
	status := http.StatusOK
	var problem *front.Problem
	if err != nil {
		var told *front.Problem
		var refused *service.Error
		problem = front.ProblemOf(err)
		if problem.Status >= 500 && !errors.As(err, &told) && !errors.As(err, &refused) {
			return err
		}
	}
	if problem != nil {
		status = problem.Status
		result = views.InsertResult{State: "problem", Problem: views.Problem{
			Status: status, Title: problem.Title, Detail: problem.Detail, RequestID: v.requestID,
		}}
	}
	m := views.Insert{Actor: v.actor.Username, User: d.user, Result: result}
	if !d.large() && result.State != "stored" && result.State != "withdrawn" {
		m.Text = string(d.text)
	}
	return u.showInsert(w, r, v, status, m)
}

func (u *UI) showInsert(w http.ResponseWriter, r *http.Request, v *visit, status int, m views.Insert) error {
	if partial(r) {
		return u.show(w, r, status, views.Inserted(m.Result))
	}
	if m.Result.State == "" {
		var err error
		if m.Last, err = u.lastInserts(r, v); err != nil {
			return err
		}
	}
	m.Anyone = !u.config.Auth.Enabled()
	f := u.frame(r, v, "Insert a log")
	f.Scripts, f.Width = []string{"insert.js"}, "wide"
	return u.show(w, r, status, views.InsertPage(f, m))
}

// check checks a document, and issues a ticket to store it if it is valid.
func (u *UI) check(r *http.Request, v *visit, d document) (views.InsertResult, error) {
	out := views.InsertResult{State: "checked", Document: d.name, Large: d.large()}
	if len(bytes.TrimSpace(d.text)) == 0 {
		empty := front.NewProblem(http.StatusUnprocessableEntity, "there is no text and no file")
		empty.Title = "Nothing to check"
		return out, empty
	}
	judged, err := u.service.Validate(r.Context(), service.Publication{Content: d.text, Format: turtle.Turtle})
	if err != nil {
		return out, fmt.Errorf("check a document: %w", err)
	}
	out.Valid, out.Triples = judged.Valid, judged.TripleCount
	out.Findings = findings(d.text, judged, u.names(nil))
	out.More = judged.IssueCount - len(out.Findings)
	if out.Valid {
		out.Ticket = u.tickets.issue(d.text, v.actor.Username)
		out.Known, err = u.known(r.Context(), d.text)
	}
	return out, err
}

// insert stores a document that has a valid ticket. Otherwise it checks the document.
func (u *UI) insert(r *http.Request, v *visit, d document, id string) (views.InsertResult, error) {
	t := u.tickets.find(id, d.text, v.actor.Username)
	if t == nil {
		out, err := u.check(r, v, d)
		out.State = "changed"
		return out, err
	}
	t.Lock()
	defer t.Unlock()
	out := views.InsertResult{State: "again"}
	if t.stored == nil {
		stored, err := u.service.Publish(r.Context(), v.actor, service.Publication{Content: d.text, Format: turtle.Turtle, Claimed: d.user, Page: true}, nil)
		if err != nil {
			return out, err
		}
		t.stored, out.State = &stored, "stored"
		u.tickets.name(t, stored.LogID)
	}
	out.Withdraw = withdrawPath(t.stored.LogID)
	log, err := u.service.Log(r.Context(), t.stored.LogID, logRead)
	if err != nil {
		return out, err
	}
	links := u.linkLog(r.Context(), log.Quads)
	out.Session, out.Graph = links.session, links.graph
	out.LogID, out.Triples, out.Added, out.StoredAs = t.stored.LogID, t.stored.Triples, t.stored.Added, t.stored.User
	return out, nil
}
