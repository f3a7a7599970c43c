package webui

import (
	"fmt"
	"net/http"
	"path"
	"strings"

	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
)

// getDelete shows what a deletion removes and what stays.
func (u *UI) getDelete(w http.ResponseWriter, r *http.Request, v *visit) error {
	return u.showDelete(w, r, v, http.StatusOK, views.Delete{})
}

// postDelete deletes the graph if the form is confirmed, and also the contexts if the box
// is ticked.
func (u *UI) postDelete(w http.ResponseWriter, r *http.Request, v *visit) error {
	form, err := u.front.ReceiveForm(w, r)
	if err != nil {
		return err
	}
	defer form.Close()
	user, contexts := strings.TrimSpace(form.Value("user")), form.Value("contexts") != ""
	if err := auth.CheckName(user); err != nil {
		return u.showDelete(w, r, v, http.StatusUnprocessableEntity, views.Delete{AlsoContexts: contexts, Wrong: fmt.Sprintf("The user is %v.", err)})
	}
	if form.Value("confirm") != views.DeleteWord {
		return u.showDelete(w, r, v, http.StatusUnprocessableEntity, views.Delete{
			User: user, AlsoContexts: contexts, Wrong: "Type the word " + views.DeleteWord + " into the field, in capitals.",
		})
	}
	cleared, err := u.service.Clear(r.Context(), v.actor, user, contexts)
	if err != nil {
		return err
	}
	done := &views.Deleted{Removed: cleared.Triples, Contexts: cleared.Contexts, By: v.actor.Username, User: user, RequestID: v.requestID}
	made, keeps, err := u.service.Deletions()
	if err != nil {
		return err
	}
	if keeps && cleared.Triples+cleared.Contexts > 0 && len(made) > 0 {
		done.Backup = made[0].Name
	}
	return u.showDelete(w, r, v, http.StatusOK, views.Delete{Done: done})
}

// postImport imports a backup.
func (u *UI) postImport(w http.ResponseWriter, r *http.Request, v *visit) error {
	form, err := u.front.ReceiveForm(w, r)
	if err != nil {
		return err
	}
	name := form.Value("name")
	form.Close() // release the turn for publications
	back, err := u.service.ImportBackup(r.Context(), v.actor, "", name)
	if err != nil {
		return err
	}
	return u.showDelete(w, r, v, http.StatusOK, views.Delete{
		Back: &views.ImportedBackup{Name: name, Triples: back.Triples, Added: back.Added, Contexts: back.Contexts, Kept: back.Kept},
	})
}

func (u *UI) showDelete(w http.ResponseWriter, r *http.Request, v *visit, status int, m views.Delete) error {
	m.Actor = v.actor.Username
	triples, err := u.count(r.Context(), "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }")
	if err != nil {
		return err
	}
	derived, err := u.count(r.Context(), "SELECT (COUNT(*) AS ?n) { GRAPH <"+mirror.Graph+"> { ?s ?p ?o } }")
	if err != nil {
		return err
	}
	m.Triples, m.Derived = int64(triples), int64(derived)
	stats, err := u.service.ContextStats(r.Context())
	if err != nil {
		return err
	}
	m.Contexts, m.Pending = stats.ActiveContexts+stats.AmbiguousContexts+stats.MergedContexts, stats.PendingReviews
	m.Cases = m.Pending + stats.AcceptedReviews + stats.RejectedReviews + stats.SupersededReviews
	made, keeps, err := u.service.Deletions()
	if err != nil {
		return err
	}
	m.Keeps = keeps
	for _, b := range made {
		m.Backups = append(m.Backups, views.DeleteBackup{Name: b.Name, Time: b.Time, Triples: b.Triples, Size: b.Size})
	}
	return u.show(w, r, status, views.DeletePage(u.frame(r, v, "Delete the graph"), m))
}

// getCopy returns the whole published graph as a file.
func (u *UI) getCopy(w http.ResponseWriter, r *http.Request, v *visit) error {
	format, extension := turtle.Turtle, path.Ext(r.URL.Path)
	if extension == ".nt" {
		format = turtle.NTriples
	}
	w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="segraph-%s%s"`, v.now.UTC().Format("20060102-150405"), extension))
	return u.front.Export(w, r, rdf.Term{}, format)
}
