package reports

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"rsc.io/qr"

	"github.com/segraph/segraph/evidence"
	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

// Limits of the case files that the service keeps, in memory: it is no archive of them.
const (
	keptCases     = 20
	keptCaseBytes = 64 << 20 // of their bundles
	keptCaseTime  = time.Hour
)

// caseFiles are the case files that were made lately, by a random id. Its methods are safe for concurrent use.
type caseFiles struct {
	mu    sync.Mutex
	all   *simplelru.LRU[string, *service.CaseFile]
	bytes int
}

func newCaseFiles() *caseFiles {
	c := &caseFiles{}
	c.all, _ = simplelru.NewLRU(keptCases, func(_ string, gone *service.CaseFile) { c.bytes -= len(gone.Bundle) }) // fails only for a size of 0
	return c
}

// keep keeps a case file, drops older ones as long as all take more than keptCaseBytes, and returns an id that
// nobody can guess.
func (c *caseFiles) keep(made *service.CaseFile) (id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id = rand.Text()
	c.all.Add(id, made)
	for c.bytes += len(made.Bundle); c.bytes > keptCaseBytes && c.all.Len() > 1; {
		c.all.RemoveOldest()
	}
	return id
}

// clear drops all of them.
func (c *caseFiles) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all.Purge()
}

// find returns the case file with an id, or nil if there is none, or if it is as old as keptCaseTime.
func (c *caseFiles) find(id string, now time.Time) *service.CaseFile {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.all.Peek(id)
	if ok && now.Sub(found.Made) >= keptCaseTime {
		c.all.Remove(id)
		return nil
	}
	return found
}

func (c *caseFiles) drop(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all.Remove(id)
}

// getCaseFile asks why somebody needs a case file.
func (u *handlers) getCaseFile(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	return u.showCaseForm(w, r, v, http.StatusOK, r.URL.Query(), "")
}

// showCaseForm shows the form of a case file with the given fields, what the file would be about, and, if it was
// refused, what is wrong.
func (u *handlers) showCaseForm(w http.ResponseWriter, r *http.Request, v *views.Visit, status int, given url.Values, wrong string) error {
	m := CaseForm{Reason: given.Get("reason"), Wrong: wrong, User: v.Actor.Username}
	m.Asked = slices.ContainsFunc(caseFields, func(name string) bool { return given.Get(name) != "" })
	scope, err := u.scopeOf(r, v, given)
	m.Scope, m.About = scope, u.scopeWords(r.Context(), scope)
	names := u.Parties(r.Context())
	offered := given["offered"][:min(len(given["offered"]), replayRobots)]
	for _, iri := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(offered, scope.Robots)))) {
		m.Robots = append(m.Robots, views.Field{Name: cmp.Or(names[iri], views.Short(iri)), Value: iri})
	}
	for _, name := range []string{"iri", "why", "log"} {
		for _, value := range given[name] {
			if name != "log" || len(m.chosenLogs()) == 0 { // chosen logs are boxes to tick
				m.Fields = append(m.Fields, views.Field{Name: name, Value: value})
			}
		}
	}
	if err == nil && m.Asked {
		var logs []string
		logs, err = u.Service.CaseFileLogs(r.Context(), m.Scope)
		m.Count = len(logs)
	}
	if p := front.ProblemOf(err); err != nil && p.Status == http.StatusInternalServerError {
		return err
	} else if err != nil {
		m.Wrong, status = service.Sentence(p.Detail), p.Status
	}
	f := u.Frame(r, v, "Case file")
	f.Styles, f.Width = []string{"case-file.css"}, "narrow"
	return u.Show(w, r, status, CaseFormPage(f, m))
}

// postCaseFile makes a case file and leads to it.
func (u *handlers) postCaseFile(w http.ResponseWriter, r *http.Request, v *views.Visit, form *front.Form) error {
	given := url.Values{"reason": {strings.Join(strings.Fields(form.Value("reason")), " ")}} // a reason is one line
	for _, name := range caseFields {
		given[name] = form.Values(name)
	}
	form.Close()
	scope, err := u.scopeOf(r, v, given)
	if err == nil {
		var made *service.CaseFile
		if made, err = u.Service.MakeCaseFile(r.Context(), v.Actor, scope, given.Get("reason")); err == nil {
			u.Redirect(w, r, "/case-file/file?id="+u.cases.keep(made))
			return nil
		}
	}
	p := front.ProblemOf(err)
	if r.Context().Err() != nil || p.Status == http.StatusInternalServerError {
		return err
	}
	return u.showCaseForm(w, r, v, p.Status, given, service.Sentence(p.Detail))
}

// keptCase returns the case file that an address names, unless something was removed since.
func (u *handlers) keptCase(r *http.Request, v *views.Visit) (id string, c *service.CaseFile, err error) {
	id = r.URL.Query().Get("id")
	if c = u.cases.find(id, v.Now); c != nil {
		stands, err := u.Service.CaseFileStands(r.Context(), c)
		if err != nil || stands {
			return id, c, err
		}
		u.cases.drop(id)
	}
	return id, nil, front.NewProblem(http.StatusNotFound, "the service keeps a case file for an hour, unless logs are removed meanwhile; make it again from the page where you began")
}

// getCaseDocument shows a case file.
func (u *handlers) getCaseDocument(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	id, c, err := u.keptCase(r, v)
	if err != nil {
		return err
	}
	m, err := u.caseDocument(r.Context(), c)
	if err != nil {
		return err
	}
	m.ID, m.Letter = id, r.URL.Query().Get("paper") == "letter"
	f := u.Frame(r, v, "Case file "+m.Number)
	f.Styles, f.Scripts = []string{"case-file.css"}, []string{"case-file.js"}
	return u.Show(w, r, http.StatusOK, CaseFilePage(f, m))
}

// getCaseBundle sends the evidence bundle of a case file.
func (u *handlers) getCaseBundle(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	_, c, err := u.keptCase(r, v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": bundleName(c)}))
	w.Header().Set("Content-Type", "application/zip")
	return front.Send(w, io.NopCloser(bytes.NewReader(c.Bundle)))
}

// getCaseStyle sends the style sheet with the size and the running lines of a case file's pages.
func (u *handlers) getCaseStyle(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	_, c, err := u.keptCase(r, v)
	if err != nil {
		return err
	}
	size := "A4"
	if r.URL.Query().Get("paper") == "letter" {
		size = "Letter"
	}
	line := strings.NewReplacer(`\`, "", `"`, "", "<", "", "\n", "").Replace(c.Record.Claim.Origin)
	const font = `font: 8pt system-ui, sans-serif; color: #525e62;`
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	_, _ = fmt.Fprintf(w, "@page { size: %[1]s; margin: 19mm 17mm 18mm; }\n@page case { @top-left { content: \"segraph · case file\"; %[2]s }\n"+
		"@bottom-left { content: \"Case file %[3]s · %[4]s · checkpoint %[5]d\"; %[2]s }\n"+
		"@bottom-right { content: \"Page \" counter(page) \" of \" counter(pages); %[2]s } }\n@page case:first { @top-left { content: none; } }\n",
		size, font, c.Number(), line, c.Record.Size)
	return nil // the client may be gone
}

func bundleName(c *service.CaseFile) string {
	return "case-" + strings.ReplaceAll(c.Number(), "/", "-") + ".zip"
}

// readRows reads the lines of a record.
func (u *handlers) readRows(ctx context.Context, record *evidence.Record) (*caseFacts, error) {
	f := readFacts(record)
	f.nameAll(u.Ages)
	if err := u.mergedEvents(ctx, f); err != nil {
		return nil, err
	}
	f.read()
	return f, nil
}

// caseDocument returns the page of a case file, without what its address says. The lines are those of its record;
// holds, notes, clocks and which causes other logs describe are as the store has them now.
func (u *handlers) caseDocument(ctx context.Context, c *service.CaseFile) (m CaseDocument, err error) {
	f, err := u.readRows(ctx, c.Record)
	if err != nil {
		return m, err
	}
	if f.outside, err = u.describedElsewhere(ctx, f); err != nil {
		return m, err
	}
	models := f.models()
	m = CaseDocument{CaseFile: c, Number: c.Number(), About: u.scopeWords(ctx, c.Scope), File: bundleName(c), Rows: f.rows, Models: models, Missing: f.missing(models)}
	if c.Scope.Why != "" {
		m.Chain = f.chain(c.Scope.Why)
	}
	code, err := qr.Encode(c.Record.Signed, qr.L)
	if err == nil { // a checkpoint with many cosignatures may be too long for a code
		m.Code = drawCode(code)
	}
	if m.Clocks, err = u.clockWords(ctx, f); err != nil {
		return m, err
	}
	m.Removals = removalWords(c.Removed)
	if m.Held, err = u.holdsOf(f); err != nil {
		return m, err
	}
	m.Notes, err = u.Service.Remarks(func(r service.Remark) bool {
		if r.About == service.AboutSession {
			return f.during(r.When)
		}
		return r.About == c.Scope.IRI || f.out[r.About] != nil || f.back[r.About] != nil
	})
	return m, err
}

// mergedEvents sets f.merged: for each event that a case file is about, the event that it was merged into, or itself.
func (u *handlers) mergedEvents(ctx context.Context, f *caseFacts) error {
	var events []rdf.Term
	for _, s := range f.order {
		events = append(events, f.out[s][vocabulary.SchemaAbout]...)
	}
	rows, err := u.Ask(ctx, prefixed("SELECT ?named ?event { VALUES ?named { "+listed(events)+"} "+fmt.Sprintf(mergedEvent, " ")+"}"))
	for _, row := range rows {
		f.merged[row[0].Value()] = row[1].Value()
	}
	return err
}

// describedElsewhere counts the causes that no log of a case file describes, but the store does.
func (u *handlers) describedElsewhere(ctx context.Context, f *caseFacts) (int, error) {
	var causes []rdf.Term
	for iri := range f.unknown {
		if rdf.IsIRI(iri) {
			causes = append(causes, rdf.NewIRI(iri))
		}
	}
	rows, err := u.Ask(ctx, "SELECT DISTINCT ?s { VALUES ?s { "+listed(causes)+"} ?s ?p ?o }")
	return len(rows), err
}

// clockWords says how the clocks of the robots in a case file differ, as far as is known.
func (u *handlers) clockWords(ctx context.Context, f *caseFacts) (string, error) {
	stats, err := u.Service.ContextStats(ctx)
	if err != nil {
		return "", err
	}
	var out []string
	for _, c := range stats.Clock.Robots {
		if f.back[c.RobotURI] != nil && c.Anchors > 0 {
			words := views.Name(f.name(c.RobotURI)) + " " + views.Count(max(c.OffsetMS, -c.OffsetMS)) + " ms"
			if c.OffsetMS > 0 {
				words += " ahead"
			} else if c.OffsetMS < 0 {
				words += " behind"
			}
			out = append(out, words)
		}
	}
	if len(out) == 0 {
		return "No clock was compared with another.", nil
	}
	return "Clocks compared by segraph: " + strings.Join(out, ", ") + ". No time was changed.", nil
}

// removalWords says what was removed from the store before a case file was made. removed has the newest first. Of each
// kind, it names the ten newest journal entries, and counts the others.
func removalWords(removed []journal.Numbered) []string {
	if len(removed) == 0 {
		return []string{"Nothing was removed from this store before this case file was made, as far as its journal reaches."}
	}
	count, words := map[journal.Action][]string{}, []string(nil)
	for _, e := range removed {
		count[e.Action] = append(count[e.Action], views.Count(e.Index()))
	}
	for _, kind := range []struct {
		action journal.Action
		words  string
	}{{journal.Withdraw, "logs were withdrawn"}, {journal.WithdrawContexts, "shared events went with withdrawn logs"}, {journal.Erasure, "people were erased"}, {journal.Expire, "logs were removed because of their age"}, {journal.Clear, "the whole graph was deleted"}, {journal.Remove, "triples were removed by a program"}, {journal.Restore, "a backup was restored"}} {
		if entries := count[kind.action]; len(entries) > 0 {
			named := slices.Clone(entries[:min(len(entries), 10)])
			slices.Reverse(named)
			if more := len(entries) - len(named); len(entries) == service.MaxRemovals {
				named = append(named, fmt.Sprintf("at least %d earlier", more))
			} else if more > 0 {
				named = append(named, fmt.Sprintf("%d earlier", more))
			}
			words = append(words, fmt.Sprintf("Before this case file was made, %s (%s %s). What they held can’t be here, whether it concerned this case or not.",
				kind.words, views.Noun(len(entries), "entry"), views.List(named)))
		}
	}
	return words
}

// holdsOf says which legal holds may concern what a case file names: those on its people, and every
// hold on a log or on a period, whose triples it may name.
func (u *handlers) holdsOf(f *caseFacts) (out []string, err error) {
	held, err := u.Service.LegalHolds()
	for _, h := range held {
		person := slices.ContainsFunc(h.People, func(iri string) bool { return f.out[iri] != nil || f.back[iri] != nil })
		if person || h.Log != "" || !h.From.IsZero() {
			out = append(out, "A legal hold since "+h.Since.UTC().Format(views.DayForm)+" forbids to remove some of what is stored; its reason is "+views.Said(h.Reason)+".")
		}
	}
	return out, err
}
