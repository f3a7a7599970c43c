package admin

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/views"
)

// eraseRows is how many facts each list of a preview has.
const eraseRows = 10

// getErase shows the preview of an erasure or, with an id, one that was asked for.
func (u *handlers) getErase(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	if err := u.Front.RefuseLinks(r); err != nil {
		return err
	}
	q := r.URL.Query()
	if id := q.Get("id"); id != "" {
		return u.showErasure(w, r, v, http.StatusOK, id, "")
	}
	return u.showPreview(w, r, v, http.StatusOK, EraseData{IRI: strings.TrimSpace(q.Get("iri"))})
}

// showPreview shows what an erasure takes, or why it is forbidden.
func (u *handlers) showPreview(w http.ResponseWriter, r *http.Request, v *views.Visit, status int, m EraseData) (err error) {
	if m.Preview, err = u.Service.PreviewErasure(r.Context(), v.Actor, m.IRI, m.Pseudonymise, eraseRows); err != nil {
		p := front.ProblemOf(err)
		if p.Status >= http.StatusInternalServerError {
			return err
		}
		status, m.Wrong, m.Preview = p.Status, service.Sentence(p.Detail), nil
	}
	return u.showErase(w, r, v, status, m)
}

func (u *handlers) showErasure(w http.ResponseWriter, r *http.Request, v *views.Visit, status int, id, wrong string) error {
	x, err := u.Service.Erasure(id)
	if err != nil {
		return err
	}
	return u.showErase(w, r, v, status, EraseData{IRI: x.Person, Erasure: &x, Mine: x.Another && x.By == v.Actor.Username, Wrong: wrong})
}

func (u *handlers) showErase(w http.ResponseWriter, r *http.Request, v *views.Visit, status int, m EraseData) error {
	m.Names = u.LogParties(r.Context())
	m.Name = m.Names.Of(m.IRI)
	f := u.Frame(r, v, "Erase a person")
	f.Styles = []string{"person.css"}
	return u.Show(w, r, status, ErasePage(f, m))
}

// postErase asks for an erasure, confirms it, cancels it, or sends its receipt. If the service refuses to ask, to confirm
// or to send, the page says why.
func (u *handlers) postErase(w http.ResponseWriter, r *http.Request, v *views.Visit, form *front.Form) error {
	id := form.Value("id")
	switch form.Value("do") {
	case "ask":
		m := EraseData{IRI: form.Value("iri"), Reason: form.Value("reason"), Pseudonymise: form.Value("how") == "pseudonymise"}
		x, err := u.Service.AskErasure(r.Context(), v.Actor, m.IRI, m.Reason, m.Pseudonymise)
		if err == nil {
			u.Redirect(w, r, "/personal-data/erase?"+url.Values{"id": {x.ID}}.Encode())
			return nil
		}
		p := front.ProblemOf(err)
		if p.Status >= http.StatusInternalServerError {
			return err
		}
		m.Wrong = service.Sentence(p.Detail)
		return u.showPreview(w, r, v, p.Status, m)
	case "receipt":
		out, err := u.Service.TakeErasureReceipt(r.Context(), id)
		if p := front.ProblemOf(err); err != nil && p.Status == http.StatusConflict {
			return u.showErasure(w, r, v, p.Status, id, service.Sentence(p.Detail))
		} else if err != nil {
			return err
		}
		w.Header().Set("Content-Disposition", `attachment; filename="receipt-of-erasure.json"`)
		return front.WriteJSON(w, http.StatusOK, out)
	case "cancel":
		if _, err := u.Service.CancelErasure(r.Context(), id); err != nil {
			return err
		}
		u.Redirect(w, r, "/personal-data")
		return nil
	case "confirm": // below
	default:
		return front.NewProblem(http.StatusUnprocessableEntity, "the form says neither ask, confirm, cancel nor receipt")
	}
	if _, err := u.Service.ConfirmErasure(r.Context(), v.Actor, id); err != nil {
		p := front.ProblemOf(err)
		if p.Status >= http.StatusInternalServerError {
			return err
		}
		return u.showErasure(w, r, v, p.Status, id, service.Sentence(p.Detail))
	}
	u.Redirect(w, r, "/personal-data/erase?"+url.Values{"id": {id}}.Encode())
	return nil
}
