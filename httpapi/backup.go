package httpapi

import (
	"fmt"
	"net/http"
	"net/url"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/backup"
)

// mediaBackup is the media type of a store's file.
const mediaBackup = "application/octet-stream"

// getBackup sends a snapshot from its file, so the store holds nothing for the client.
// With the parameter name it sends an existing snapshot, so that a download can be
// resumed.
func (a *API) getBackup(w http.ResponseWriter, r *http.Request) error {
	if err := a.front.RefuseLinks(r); err != nil {
		return err
	}
	query, err := front.Parameters(r)
	if err != nil {
		return err
	}
	file, info, err := a.service.Backup(r.Context(), query.Get("name"))
	if err != nil {
		return err
	}
	defer file.Close()
	digest, err := backup.ReprDigest(info.SHA256)
	if err != nil {
		return fmt.Errorf("read the description of a backup: %w", err)
	}
	tag := `"` + info.SHA256 + `"`
	if err := front.CheckIfMatch(r, tag); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", mediaBackup)
	h.Set("Content-Disposition", `attachment; filename="`+info.Name+`"`)
	h.Set("Content-Location", "backup?name="+url.QueryEscape(info.Name))
	h.Set("ETag", tag)
	h.Set("Repr-Digest", digest)
	return front.ServeContent(w, r, info.Time, file)
}

// getBackups lists the snapshots.
func (a *API) getBackups(w http.ResponseWriter, _ *http.Request) error {
	infos, err := a.service.ListBackups()
	if err != nil {
		return err
	}
	if infos == nil {
		infos = []backup.Info{}
	}
	return front.WriteJSON(w, http.StatusOK, struct {
		Count   int           `json:"count"`
		Backups []backup.Info `json:"backups"`
	}{len(infos), infos})
}

// postVerifyBackup reads a snapshot completely.
func (a *API) postVerifyBackup(w http.ResponseWriter, r *http.Request) error {
	m := a.front.Members(r)
	name := m.OptionalText("name")
	m.Only("name")
	if err := m.Err(); err != nil {
		return err
	}
	info, err := a.service.VerifyBackup(r.Context(), name)
	return front.WriteResult(w, http.StatusOK, info, err)
}
