package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/segraph/segraph/internal/errno"
	"github.com/segraph/segraph/internal/spool"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/file"
)

// Make makes a snapshot. For Request it may return an existing one if nothing has changed
// since then. The error may be a *NoRoomError or another store.ErrDiskFull.
func (f *Folder) Make(ctx context.Context, why Reason) (Info, error) {
	if why == Schedule {
		if err := f.scheduling.take(ctx); err != nil {
			return Info{}, err
		}
		defer f.scheduling.end()
	}
	if err := f.making.take(ctx); err != nil {
		return Info{}, err
	}
	written := sync.OnceFunc(f.making.end)
	defer written()
	if why == Request {
		if info, ok := f.current(); ok {
			return info, nil
		}
	}
	begin := time.Now()
	info, err := f.make(ctx, why, written)
	if err != nil {
		return info, fmt.Errorf("making a snapshot: %w", err)
	}
	f.options.Log.InfoContext(ctx, "a snapshot was made", "name", info.Name, "bytes", info.Size, "entries", info.Entries,
		"checked", info.Checked, "ms", time.Since(begin).Milliseconds())
	if err := f.prune(info); err != nil {
		f.options.Log.ErrorContext(ctx, "an old snapshot could not be removed", "error", err)
	}
	return info, nil
}

// current returns the newest snapshot, if the store has not changed since then.
func (f *Folder) current() (info Info, ok bool) {
	infos, err := f.List()
	if err != nil || len(infos) == 0 {
		return Info{}, false
	}
	m, err := f.options.Source.Version()
	return infos[0], err == nil && m.Transaction == infos[0].Transaction && m.Head.String() == infos[0].Head
}

// turn lets one at a time do something.
type turn chan struct{}

// take waits for the turn, or until ctx ends.
func (t turn) take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t turn) end() { <-t }

// make makes a snapshot of the source. It calls written before it checks a scheduled one: that may take minutes, and the
// deletion of a graph, with which all writes wait, makes one too.
func (f *Folder) make(ctx context.Context, why Reason, written func()) (Info, error) {
	m, err := f.options.Source.Version()
	if err != nil {
		return Info{}, err
	}
	return f.create(ctx, why, m.Size, func(w io.Writer) (store.Version, error) {
		if why == Schedule {
			defer written()
		}
		return f.options.Source.Backup(ctx, w)
	})
}

// Add adds a backup that was made elsewhere, or that newer ones have replaced, and verifies it. in has at
// most size bytes. The error may be ErrBusy, a *NoRoomError, an error with a method Damaged, or a *file.FormError.
func (f *Folder) Add(ctx context.Context, in io.Reader, size int64) (Info, error) {
	if !f.adding.CompareAndSwap(false, true) {
		return Info{}, ErrBusy
	}
	defer f.adding.Store(false)
	info, err := f.create(ctx, Sent, size, func(w io.Writer) (store.Version, error) {
		n, err := io.Copy(w, io.LimitReader(in, size))
		return store.Version{Size: n}, err
	})
	if err != nil {
		return info, err
	}
	if err := f.prune(info); err != nil {
		f.options.Log.ErrorContext(ctx, "an old backup could not be removed", "error", err)
	}
	return info, nil
}

// create creates the file of a backup of about size bytes, which write writes and describes.
func (f *Folder) create(ctx context.Context, why Reason, size int64, write func(io.Writer) (store.Version, error)) (info Info, err error) {
	dir, emptied := f.options.Path, f.emptied.Load()
	if err := makeFolder(dir); err != nil {
		return info, err
	}
	if err := f.fits(size); err != nil {
		return info, err
	}
	out, err := os.CreateTemp(dir, NewPrefix)
	if err != nil {
		return info, err
	}
	defer func() {
		_ = out.Close() // closed already on success
		if err != nil {
			err = errors.Join(err, os.Remove(out.Name()))
		}
		if errno.DiskFull(err) { // in spite of fits: others write too, and users have quotas
			err = fmt.Errorf("%w: %w", store.ErrDiskFull, err)
		}
	}()
	info = Info{Reason: why, Time: f.options.Now().UTC().Truncate(time.Millisecond)}
	sum := sha256.New()
	m, err := write(io.MultiWriter(out, sum))
	if err != nil {
		return info, err
	}
	if err := errors.Join(out.Sync(), out.Close()); err != nil {
		return info, err
	}
	if f.options.Check != nil && (why == Schedule || why == Sent) {
		found, err := f.options.Check(ctx, out.Name())
		if err != nil {
			return info, fmt.Errorf("checking it: %w", err)
		}
		m.Triples, m.Head, info.Checked, info.CheckedAt = found.Triples, found.Head, true, info.Time
	}
	info.Size, info.Triples, info.Entries, info.Head, info.Transaction = m.Size, m.Triples, m.Head.Seq, m.Head.String(), m.Transaction
	info.SHA256 = hex.EncodeToString(sum.Sum(nil))
	info.Name = fmt.Sprintf("%s%s-%d-%s%s", namePrefix, info.Time.Format("20060102T150405.000Z"), info.Entries, why, suffix)
	return info, f.name(out.Name(), info, emptied)
}

// makeFolder creates a folder and its missing parents, and syncs them so that they
// survive a power cut. A folder without read permission can't be synced; its durability
// is left to the system.
func makeFolder(dir string) error {
	parent := filepath.Dir(dir)
	if _, err := os.Stat(parent); errors.Is(err, fs.ErrNotExist) {
		if err := makeFolder(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := file.SyncFolder(parent); err != nil && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}

// NoRoomError reports that a snapshot was not started for lack of room. It wraps
// store.ErrDiskFull.
type NoRoomError struct{ Need, Free, Left int64 } // bytes: needed, free, and to be left free

func (e *NoRoomError) Error() string {
	return fmt.Sprintf("it needs %d bytes; %d are free, and %d must stay free", e.Need, e.Free, e.Left)
}

func (e *NoRoomError) Unwrap() error { return store.ErrDiskFull }

// fits returns a *NoRoomError if need bytes would leave too little of the disk free. 64 MiB
// must stay free, or an eighth of a small disk.
func (f *Folder) fits(need int64) error {
	size, free, known := spool.DiskSpace(f.options.Path)
	if left := min(64<<20, size/8); known && free-need < left {
		return &NoRoomError{Need: need, Free: free, Left: left}
	}
	return nil
}

// name renames a finished snapshot to its final name, after it wrote the description. emptied is how often RemoveAll
// was called before the snapshot was begun.
func (f *Folder) name(from string, info Info, emptied uint64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.emptied.Load() != emptied {
		return ErrEmptied
	}
	to := filepath.Join(f.options.Path, info.Name)
	if err := f.describe(info); err != nil {
		return err
	}
	if err := os.Rename(from, to); err != nil {
		return errors.Join(err, os.Remove(to+infoSuffix))
	}
	return file.SyncFolder(f.options.Path)
}

// writeFile writes a file completely or not at all.
func writeFile(path string, text []byte) error {
	out, err := os.CreateTemp(filepath.Dir(path), NewPrefix)
	if err != nil {
		return err
	}
	_, err = out.Write(text)
	if err = errors.Join(err, out.Sync(), out.Close()); err == nil {
		err = os.Rename(out.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(out.Name()))
	}
	return nil
}

// RemoveAll removes all snapshots and all files that restores kept, so that a power cut does not bring them back. It waits while one is being made.
func (f *Folder) RemoveAll(ctx context.Context) error {
	for _, t := range []turn{f.scheduling, f.making} {
		if err := t.take(ctx); err != nil {
			return err
		}
		defer t.end()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.emptied.Add(1)
	_, failed := f.removeKept(func(Kept) bool { return true })
	names, err := os.ReadDir(f.options.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return failed
	}
	for _, n := range names {
		if name := strings.TrimSuffix(n.Name(), infoSuffix); strings.HasPrefix(name, namePrefix) && strings.HasSuffix(name, suffix) {
			err = errors.Join(err, os.Remove(filepath.Join(f.options.Path, n.Name())))
		}
	}
	if err == nil {
		err = file.SyncFolder(f.options.Path)
	}
	return errors.Join(failed, err)
}

// prune removes the oldest snapshots made for the reason of made, and keeps made: it is the newest, although others have
// later times if the clock was set back.
func (f *Folder) prune(made Info) error {
	infos, err := f.List()
	if err != nil {
		return err
	}
	keep := f.options.Keep
	if made.Reason == Request || made.Reason == Sent {
		keep = max(keep, minKept)
	}
	_, err = f.remove(infos, func(info Info) bool {
		if info.Reason != made.Reason || info.Name == made.Name {
			return false
		}
		keep--
		return keep < 1
	})
	return err
}

// RemoveOlder removes the snapshots and the files kept by restores from before a time, and returns how many.
func (f *Folder) RemoveOlder(before time.Time) (removed int, err error) {
	infos, undescribed, err := f.snapshots()
	if err != nil {
		return 0, err
	}
	kept, err := f.removeKept(func(k Kept) bool { return k.Time.Before(before) })
	removed, failed := f.remove(append(infos, undescribed...), func(info Info) bool { return info.Time.Before(before) })
	return kept + removed, errors.Join(err, failed)
}

// remove removes the snapshots that unwanted accepts.
func (f *Folder) remove(infos []Info, unwanted func(Info) bool) (removed int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, info := range infos {
		if !unwanted(info) {
			continue
		}
		path := filepath.Join(f.options.Path, info.Name)
		failed := os.Remove(path)
		if failed == nil { // Windows keeps a snapshot that a client is reading
			if failed = os.Remove(path + infoSuffix); errors.Is(failed, fs.ErrNotExist) {
				failed = nil
			}
		}
		if err = errors.Join(err, failed); failed == nil {
			removed++
		}
	}
	return removed, err
}
