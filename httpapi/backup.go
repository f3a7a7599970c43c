package httpapi

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"

	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/internal/backup"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/journal"
)

// mediaBackup is the media type of a file of the store.
const mediaBackup = "application/octet-stream"

// Backups are the snapshots of a store. Its methods may be called from many goroutines at once.
type Backups interface {
	// Make makes one. It waits while another is made.
	Make(ctx context.Context, why backup.Reason) (backup.Info, error)
	// Open opens one for reading, or gives backup.ErrNone.
	Open(name string) (*os.File, backup.Info, error)
	// List gives all, the newest first.
	List() ([]backup.Info, error)
	// Keeps tells whether one is made before the graph is deleted.
	Keeps() bool
}

// BringBacker is a store.Graph into which what a snapshot holds comes back while it is in use.
type BringBacker interface {
	BringBack(ctx context.Context, path string, e journal.Entry) (store.BroughtBack, error)
}

// Deletions gives the snapshots that were made before the graph was deleted, the newest first, and tells whether the
// next deletion makes one.
func (a *API) Deletions() (made []backup.Info, keeps bool, err error) {
	_, can := a.config.Graph.(BringBacker)
	if a.config.Backups == nil || !can {
		return nil, false, nil
	}
	all, err := a.config.Backups.List()
	if err != nil {
		return nil, false, fmt.Errorf("list the backups: %w", err)
	}
	for _, info := range all {
		if info.Reason == backup.DeleteAll {
			made = append(made, info)
		}
	}
	return made, a.config.Backups.Keeps(), nil
}

// BringBack adds what a snapshot of Deletions holds to what there is now. claimed is as in Insert. The error is a
// *Problem where there is no such snapshot, where its file is not what was written, or where it can't come back.
func (a *API) BringBack(ctx context.Context, actor auth.Actor, claimed, name string) (store.BroughtBack, error) {
	graph, can := a.config.Graph.(BringBacker)
	if a.config.Backups == nil || !can {
		return store.BroughtBack{}, noBackups()
	}
	file, info, err := a.config.Backups.Open(name)
	if err == nil {
		defer file.Close()
		if info.Reason != backup.DeleteAll {
			err = backup.ErrNone // of those that are brought back
		}
	}
	if errors.Is(err, backup.ErrNone) {
		return store.BroughtBack{}, newProblem(http.StatusNotFound, "there is no snapshot of this name, or it had to make room for newer ones")
	}
	if err != nil {
		return store.BroughtBack{}, fmt.Errorf("open a backup: %w", err)
	}
	e := a.entry(ctx, actor, journal.BringBack, claimed)
	e.Detail = "from " + info.Name
	if e.SHA256, _, err = backup.Sum(file); err != nil {
		return store.BroughtBack{}, fmt.Errorf("read a backup: %w", err)
	}
	if e.SHA256 != info.SHA256 {
		return store.BroughtBack{}, newProblem(http.StatusConflict, "the snapshot's file is not what was written: its SHA-256 is another one")
	}
	back, err := graph.BringBack(ctx, file.Name(), e)
	var unfit *store.UnfitError
	if errors.As(err, &unfit) {
		return back, newProblem(http.StatusConflict, "%s", unfit.Detail)
	}
	if err != nil {
		return back, fmt.Errorf("bring a backup back: %w", err)
	}
	return back, nil
}

// getBackup gives a snapshot from its file, so that nothing of the store is held for the client. The
// parameter name goes on with one that was begun.
func (a *API) getBackup(w http.ResponseWriter, r *http.Request) error {
	if a.config.Backups == nil {
		return noBackups()
	}
	query, err := parameters(r)
	if err != nil {
		return err
	}
	name := query.Get("name")
	if name == "" {
		info, err := a.config.Backups.Make(r.Context(), backup.Request)
		if err != nil {
			return fmt.Errorf("make a backup: %w", err)
		}
		name = info.Name
	}
	file, info, err := a.config.Backups.Open(name)
	if errors.Is(err, backup.ErrNone) {
		return newProblem(http.StatusNotFound, "there is no snapshot of this name, or it had to make room for newer ones; GET /admin/backups lists those that there are")
	}
	if err != nil {
		return fmt.Errorf("open a backup: %w", err)
	}
	defer file.Close()
	sum, err := hex.DecodeString(info.SHA256)
	if err != nil {
		return fmt.Errorf("read the description of a backup: %w", err)
	}
	h := w.Header()
	h.Set("Content-Type", mediaBackup)
	h.Set("Content-Disposition", `attachment; filename="`+info.Name+`"`)
	h.Set("Content-Location", "backup?name="+url.QueryEscape(info.Name))
	h.Set("ETag", `"`+info.SHA256+`"`)
	h.Set("Repr-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(sum)+":") // RFC 9530
	http.ServeContent(w, r, "", info.Time, file)
	return nil
}

// getBackups lists the snapshots.
func (a *API) getBackups(w http.ResponseWriter, _ *http.Request) error {
	if a.config.Backups == nil {
		return noBackups()
	}
	infos, err := a.config.Backups.List()
	if err != nil {
		return fmt.Errorf("list the backups: %w", err)
	}
	if infos == nil {
		infos = []backup.Info{}
	}
	return writeJSON(w, http.StatusOK, struct {
		Count   int           `json:"count"`
		Backups []backup.Info `json:"backups"`
	}{len(infos), infos})
}

func noBackups() error {
	return newProblem(http.StatusServiceUnavailable, "this service makes no snapshots of its store; back that one up by its own means")
}
