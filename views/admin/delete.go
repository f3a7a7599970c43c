package admin

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/backup"
	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

// getDelete shows what a deletion removes and what stays. If the address has the id of a request that deleted the graph,
// it shows what that request removed.
func (u *handlers) getDelete(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	return u.showDelete(w, r, v, http.StatusOK, Delete{})
}

// postDelete deletes the graph if the form is confirmed, and also the contexts if the box
// is ticked.
func (u *handlers) postDelete(w http.ResponseWriter, r *http.Request, v *views.Visit, form *front.Form) error {
	user, alsoContexts := strings.TrimSpace(form.Value("user")), form.Value("contexts") != ""
	if err := auth.CheckName(user); err != nil {
		return u.showDelete(w, r, v, http.StatusUnprocessableEntity, Delete{AlsoContexts: alsoContexts, Wrong: fmt.Sprintf("The user is %v.", err)})
	}
	if form.Value("confirm") != DeleteWord {
		return u.showDelete(w, r, v, http.StatusUnprocessableEntity, Delete{
			User: user, AlsoContexts: alsoContexts, Wrong: "Type the word " + DeleteWord + " into the field, in capitals.",
		})
	}
	if _, err := u.Service.Clear(r.Context(), v.Actor, user, alsoContexts); err != nil {
		return err
	}
	u.Redirect(w, r, "/logs/delete?done="+url.QueryEscape(v.RequestID))
	return nil
}

// deleted returns what a request deleted, according to the journal, or nil if it is not one of the last ten deletions.
// backups are those made before deletions, the newest first.
func (u *handlers) deleted(ctx context.Context, requestID string, backups []backup.Info) (*Deleted, error) {
	page, err := u.Service.Logs(ctx, journal.Filter{Action: journal.Clear, Limit: 10}, nil)
	i := slices.IndexFunc(page.Entries, func(e journal.Numbered) bool { return e.RequestID == requestID })
	if err != nil || i < 0 {
		return nil, err
	}
	e := page.Entries[i]
	done := &Deleted{Removed: e.Removed, Contexts: e.Detail != "", By: e.Actor, User: e.Claimed, RequestID: requestID}
	began := e.Time.Truncate(time.Millisecond) // as exact as the times of backups
	// The backup that the request made before it deleted: it lacks the entry of the deletion.
	before := func(b backup.Info) bool { return !b.Time.Before(began) && b.Entries <= e.Seq }
	if i := slices.IndexFunc(backups, before); i >= 0 {
		done.Backup = backups[i].Name
	}
	return done, nil
}

// showDelete shows the page with m, to which it adds what the file holds now.
func (u *handlers) showDelete(w http.ResponseWriter, r *http.Request, v *views.Visit, status int, m Delete) error {
	m.Actor = v.Actor.Username
	triples, err := u.Count(r.Context(), "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }")
	if err != nil {
		return err
	}
	derived, err := u.Count(r.Context(), "SELECT (COUNT(*) AS ?n) { GRAPH <"+mirror.Graph+"> { ?s ?p ?o } }")
	if err != nil {
		return err
	}
	m.Triples, m.Derived = int64(triples), int64(derived)
	if m.Triples > 0 {
		u.countTold(r.Context(), &m)
	}
	stats, err := u.Service.ContextStats(r.Context())
	if err != nil {
		return err
	}
	m.Contexts, m.Pending = stats.ActiveContexts+stats.AmbiguousContexts+stats.MergedContexts, stats.PendingReviews
	m.Cases = m.Pending + stats.AcceptedReviews + stats.RejectedReviews + stats.SupersededReviews
	backups, makes, err := u.Service.Deletions()
	if err != nil {
		return err
	}
	m.Keeps = makes
	if id := r.URL.Query().Get("done"); id != "" {
		if m.Done, err = u.deleted(r.Context(), id, backups); err != nil {
			return err
		}
	}
	for _, b := range backups {
		m.Backups = append(m.Backups, DeleteBackup{Name: b.Name, Time: b.Time, Triples: b.Triples, Size: b.Size})
	}
	return u.Show(w, r, status, DeletePage(u.Frame(r, v, "Delete all"), m))
}

// countTold counts what the graph tells of. These queries read more than the others. One that fails or takes too long
// must not keep anybody from deleting, so its number is then unknown.
func (u *handlers) countTold(ctx context.Context, m *Delete) {
	for to, where := range map[*int]string{&m.Messages: "?s <" + vocabulary.SchemaText + "> ?o", &m.Robots: "?s a <" + vocabulary.OroRobot + ">", &m.People: "?s a <" + vocabulary.OroHuman + ">"} {
		n, err := u.Count(ctx, "SELECT (COUNT(DISTINCT ?s) AS ?n) { "+where+" }")
		if err != nil {
			u.Log.WarnContext(ctx, "what the graph tells of can't be counted", "error", err)
			n = unknown
		}
		*to = n
	}
}

// getCopy returns the whole published graph as a file.
func (u *handlers) getCopy(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	format, extension := turtle.Turtle, path.Ext(r.URL.Path)
	if extension == ".nt" {
		format = turtle.NTriples
	}
	w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="segraph-%s%s"`, v.Now.UTC().Format("20060102-150405"), extension))
	return u.Front.Export(w, r, rdf.Term{}, format)
}
