package admin

import (
	"net/http"

	"github.com/segraph/segraph/internal/backup"
	"github.com/segraph/segraph/views"
)

// getBackups lists the backups, the newest first.
func (u *handlers) getBackups(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	list, err := u.Service.ListBackups()
	if err != nil {
		return err
	}
	m := Backups{List: list, Checked: r.URL.Query().Get("checked"), Made: r.URL.Query().Get("made")}
	for _, s := range u.Config.Settings {
		switch s.Name {
		case "SEGRAPH_DATA":
			m.Data = s.Value
		case "SEGRAPH_SNAPSHOT_DIR":
			m.Folder = s.Value
		}
	}
	return u.Show(w, r, http.StatusOK, BackupsPage(u.Frame(r, v, "Backups"), m))
}

// postBackup makes a backup, or verifies one.
func (u *handlers) postBackup(w http.ResponseWriter, r *http.Request, _ *views.Visit) error {
	form, err := u.Front.ReceiveForm(w, r)
	if err != nil {
		return err
	}
	name, verify := form.Value("name"), form.Value("do") == "verify"
	form.Close() // release the turn for publications
	var info backup.Info
	if verify {
		info, err = u.Service.VerifyBackup(r.Context(), name)
		name = "checked"
	} else {
		info, err = u.Service.MakeBackup(r.Context())
		name = "made"
	}
	if err != nil {
		return err
	}
	u.Redirect(w, r, "/backups?"+name+"="+info.Name)
	return nil
}

// getBackupFile sends a backup.
func (u *handlers) getBackupFile(w http.ResponseWriter, r *http.Request, _ *views.Visit) error {
	file, info, err := u.Service.Backup(r.Context(), r.URL.Query().Get("name"))
	if err != nil {
		return err
	}
	defer file.Close()
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", `attachment; filename="`+info.Name+`"`)
	http.ServeContent(w, r, "", info.Time, file)
	return nil
}
