package admin

import (
	"fmt"
	"net/http"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/backup"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/views"
)

// getBackups lists the backups, the newest first.
func (u *handlers) getBackups(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	list, err := u.Service.ListBackups()
	if err != nil {
		return err
	}
	q := r.URL.Query()
	kept, err := u.Service.KeptFiles()
	if err != nil {
		return err
	}
	m := Backups{List: list, Next: u.Service.NextBackup(), Kept: kept, Checked: q.Get("checked"), Made: q.Get("made"), Sent: q.Get("sent"), Restored: u.Service.Restored()}
	return u.Show(w, r, http.StatusOK, BackupsPage(u.Frame(r, v, "Backups"), m))
}

// postBackupFile adds a backup that the visitor sends.
func (u *handlers) postBackupFile(w http.ResponseWriter, r *http.Request, _ *views.Visit) error {
	in, err := u.Front.ReceiveFile(r, "backup")
	if err != nil {
		return err
	}
	info, err := u.Service.AddBackup(r.Context(), in, r.ContentLength)
	if err != nil {
		return err
	}
	u.Redirect(w, r, "/backups?sent="+info.Name)
	return nil
}

// getRestore shows what restoring a backup would change.
func (u *handlers) getRestore(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	if err := u.Service.CanRestore(); err != nil {
		return err
	}
	return u.showRestore(w, r, v, http.StatusOK, r.URL.Query().Get("name"), Restore{})
}

func (u *handlers) showRestore(w http.ResponseWriter, r *http.Request, v *views.Visit, status int, name string, m Restore) (err error) {
	if m.Comparison, err = u.Service.CompareBackup(name); err != nil {
		return err
	}
	return u.Show(w, r, status, RestorePage(u.Frame(r, v, "Restore a backup"), m))
}

// postRestore restores a backup if the form is confirmed. The answer comes before the service ends.
func (u *handlers) postRestore(w http.ResponseWriter, r *http.Request, v *views.Visit, form *front.Form) error {
	name, word, m := form.Value("name"), form.Value("confirm"), Restore{Reason: form.Value("reason")}
	form.Close() // release the turn for publications
	if word != RestoreWord {
		m.Wrong = "Type the word " + RestoreWord + " into the field, in capitals."
		return u.showRestore(w, r, v, http.StatusUnprocessableEntity, name, m)
	}
	var err error
	if m.Comparison, err = u.Service.CompareBackup(name); err == nil {
		err = u.Service.RestoreBackup(r.Context(), v.Actor, name, m.Reason)
	}
	if p := front.ProblemOf(err); err != nil && p.Status == http.StatusUnprocessableEntity {
		m.Wrong, m.WrongReason = service.Sentence(p.Detail), true // of what the service judges, the visitor types only the reason
		return u.showRestore(w, r, v, p.Status, name, m)
	}
	if err != nil {
		return err
	}
	m.Begun = true
	w.Header().Set("Refresh", fmt.Sprintf("%d; url=%s/backups", int(m.Takes().Seconds()), u.Base()))
	return u.Show(w, r, http.StatusAccepted, RestorePage(u.Frame(r, v, "Restoring"), m))
}

// postBackup makes a backup, verifies one, or removes a file that a restore kept.
func (u *handlers) postBackup(w http.ResponseWriter, r *http.Request, _ *views.Visit, form *front.Form) error {
	name, do := form.Value("name"), form.Value("do")
	form.Close() // release the turn for publications
	var info backup.Info
	var done string // the parameter with which the page says what was done
	var err error
	switch do {
	case "remove":
		if err := u.Service.RemoveKept(name); err != nil {
			return err
		}
		u.Redirect(w, r, "/backups")
		return nil
	case "verify":
		info, err = u.Service.VerifyBackup(r.Context(), name)
		done = "checked"
	default:
		info, err = u.Service.MakeBackup(r.Context())
		done = "made"
	}
	if err != nil {
		return err
	}
	u.Redirect(w, r, "/backups?"+done+"="+info.Name)
	return nil
}

func (u *handlers) getBackupFile(w http.ResponseWriter, r *http.Request, _ *views.Visit) error {
	if err := u.Front.RefuseLinks(r); err != nil {
		return err
	}
	file, info, err := u.Service.Backup(r.Context(), r.URL.Query().Get("name"))
	if err != nil {
		return err
	}
	defer file.Close()
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", `attachment; filename="`+info.Name+`"`)
	return front.ServeContent(w, r, info.Time, file)
}
