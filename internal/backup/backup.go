// Package backup keeps snapshots of the store's file in a folder. Its rules:
//
//   - A snapshot is a file that the store can open. A JSON file next to it describes it
//     and holds its SHA-256. A snapshot gets its name once both are on disk. Temporary
//     files that a kill leaves have other names and are removed.
//   - A read snapshot of the store is held only while a local file is written, never for
//     a client.
//   - The number of snapshots for each reason is limited. A new one replaces the oldest.
//   - A snapshot is not started if it would leave too little room on the disk.
package backup

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/file"
)

// Reason is why a snapshot was made. It is part of the snapshot's name.
type Reason string

const (
	Schedule  Reason = "schedule"   // scheduled
	DeleteAll Reason = "delete_all" // the graph is about to be deleted
	Request   Reason = "request"    // requested by a client
	Sent      Reason = "sent"       // made elsewhere or before, and sent by an admin
)

// Source is a store that can be backed up while it is in use.
type Source interface {
	// Backup writes one state of the store to w and returns its description.
	Backup(ctx context.Context, w io.Writer) (store.Version, error)
	// Version describes the current state.
	Version() (store.Version, error)
	// Holds reports whether the journal has the entry of a head; see Info.
	Holds(head string) (bool, error)
	// Content says what the current state holds.
	Content() (store.Content, error)
}

// Info describes a snapshot.
type Info struct {
	Name    string    `json:"name"` // of the file
	Reason  Reason    `json:"reason"`
	Time    time.Time `json:"time"` // when it was started, UTC
	Size    int64     `json:"size"` // bytes
	SHA256  string    `json:"sha256"`
	Triples int64     `json:"triples"`
	Entries uint64    `json:"entries"` // number of journal entries
	Head    string    `json:"head"`    // head of the journal: number and hash of its last entry
	Checked bool      `json:"checked"` // read and checked completely
	// CheckedAt is when that was, UTC; zero if it was not.
	CheckedAt time.Time `json:"checked_at,omitzero"`

	Transaction uint64 `json:"transaction"` // transaction number of the file
}

// Restored describes a restore of a running service.
type Restored struct {
	Name string // of the backup
	By   string // who asked for it
	At   time.Time
	Kept string // path of the file that was in use before; "" if Err is set
	Err  error  // why the old file is still in use, or nil

	// Unread says why tokens that were revoked and keys that were removed since the backup are valid again, or is nil.
	Unread error
}

// Options configure a Folder.
type Options struct {
	Path   string // the folder, created when needed
	Data   string // the store's file, beside which restores keep what they replace
	Keep   int    // snapshots to keep for each reason; 0 means only requested ones are made
	Source Source
	// Check verifies a file completely and describes it, but for Size and Transaction. It may be
	// nil. It is not called for DeleteAll and Request, because somebody waits for those.
	Check func(ctx context.Context, path string) (store.Version, error)
	// Content says what a file holds. It may be nil if Compare is not called.
	Content func(path string) (store.Content, error)
	Log     *slog.Logger
	Now     func() time.Time // nil means time.Now
}

// Folder is a folder of snapshots. It is safe for concurrent use.
type Folder struct {
	options            Options
	scheduling, making turn          // a scheduled snapshot is made and checked; any snapshot is written
	adding             atomic.Bool   // a backup is being added
	emptied            atomic.Uint64 // calls of RemoveAll
	next               atomic.Int64  // when a scheduled snapshot is made, in seconds since 1970; 0 if none is
	mu                 sync.Mutex    // guards the files in the folder

	comparing sync.Mutex
	then      contents[Info]          // of the backup that was compared last
	has       contents[store.Version] // of the store at that time
}

// contents keeps what something held when it was read last. Reading takes a whole journal, and the page that asks
// for a confirmation compares again after each mistake.
type contents[K comparable] struct {
	known bool
	of    K
	held  store.Content
}

// get returns what of holds. It calls read only if it was not the last one.
func (c *contents[K]) get(of K, read func() (store.Content, error)) (store.Content, error) {
	if c.known && c.of == of {
		return c.held, nil
	}
	held, err := read()
	if err == nil {
		*c = contents[K]{true, of, held}
	}
	return held, err
}

// minKept is the minimum number of requested snapshots to keep, so that a client can
// finish downloading one while the next is made.
const minKept = 2

const (
	namePrefix = "segraph-"
	suffix     = ".db"
	infoSuffix = ".json"
	NewPrefix  = ".new-" // of files that are not complete yet
)

// ofSnapshot matches names of snapshots. A file system refuses some other names.
var ofSnapshot = regexp.MustCompile(`^` + namePrefix + `[\w.-]{1,200}` + `\` + suffix + `$`)

// ErrNone means that no snapshot has the given name.
var ErrNone = errors.New("there is no such snapshot")

// ErrEmptied reports that all snapshots were removed while a backup was being added, because a person was erased.
var ErrEmptied = errors.New("all snapshots were removed meanwhile")

// ErrBusy reports that another backup is being added.
var ErrBusy = errors.New("another backup is being added")

// NewFolder returns a Folder and removes the leftovers of a killed process from it.
func NewFolder(o Options) (*Folder, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	f := &Folder{options: o, scheduling: make(turn, 1), making: make(turn, 1)}
	names, err := os.ReadDir(o.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading the folder of snapshots: %w", err)
	}
	for _, n := range names {
		described, isInfo := strings.CutSuffix(n.Name(), infoSuffix)
		_, err := os.Lstat(filepath.Join(o.Path, described))
		orphan := isInfo && strings.HasSuffix(described, suffix) && errors.Is(err, fs.ErrNotExist) // a description without its snapshot
		if orphan || strings.HasPrefix(n.Name(), NewPrefix) {
			if err := os.Remove(filepath.Join(o.Path, n.Name())); err != nil {
				return nil, fmt.Errorf("removing what is left of a snapshot: %w", err)
			}
		}
	}
	return f, nil
}

// Keeps reports whether snapshots are made without a client's request.
func (f *Folder) Keeps() bool { return f.options.Keep > 0 }

// Comparison is a backup beside the current state of the store.
type Comparison struct {
	Backup    Info
	Now       store.Version
	Earlier   bool          // the backup is an earlier state of the store, or the current one
	Then, Has store.Content // of the backup, and of the store
}

// Compare compares the named backup with the current state of the store. The error is ErrNone if there is none.
func (f *Folder) Compare(name string) (c Comparison, err error) {
	in, info, err := f.Open(name)
	if err != nil {
		return c, err
	}
	defer in.Close() // Windows keeps an open file
	c.Backup = info
	if c.Now, err = f.options.Source.Version(); err != nil {
		return c, err
	}
	if c.Earlier, err = f.options.Source.Holds(info.Head); err != nil {
		return c, err
	}
	f.comparing.Lock()
	defer f.comparing.Unlock()
	if c.Has, err = f.has.get(c.Now, f.options.Source.Content); err == nil {
		c.Then, err = f.then.get(info, func() (store.Content, error) { return f.options.Content(in.Name()) })
	}
	return c, err
}

// List returns the snapshots, newest first.
func (f *Folder) List() ([]Info, error) {
	out, _, err := f.snapshots()
	return out, err
}

// snapshots returns the snapshots, newest first, and those that have no description that can be read, with the times at
// which their files were changed.
func (f *Folder) snapshots() (out, undescribed []Info, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	names, err := os.ReadDir(f.options.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading the folder of snapshots: %w", err)
	}
	for _, n := range names {
		if info, err := f.info(n.Name()); err == nil {
			out = append(out, info)
		} else if file, err := n.Info(); err == nil && ofSnapshot.MatchString(n.Name()) {
			undescribed = append(undescribed, Info{Name: n.Name(), Time: file.ModTime()})
		}
	}
	slices.SortFunc(out, func(a, b Info) int { return cmp.Or(b.Time.Compare(a.Time), cmp.Compare(b.Name, a.Name)) })
	return out, undescribed, nil
}

// ParseInfo parses a description in JSON.
func ParseInfo(text []byte) (info Info, err error) {
	err = json.Unmarshal(text, &info)
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil, errors.As(err, &syntax): // nothing to reword
	case errors.As(err, &wrong):
		err = fmt.Errorf("the member %q can't be a JSON %s", wrong.Field, wrong.Value)
	default: // an error of time.Time
		err = errors.New(`the member "time" is not a time such as "2026-01-31T12:00:00Z"`)
	}
	return info, err
}

// info reads the description of the named snapshot.
func (f *Folder) info(name string) (info Info, err error) {
	if !ofSnapshot.MatchString(name) {
		return info, ErrNone
	}
	text, err := os.ReadFile(filepath.Join(f.options.Path, name+infoSuffix))
	if errors.Is(err, fs.ErrNotExist) {
		return info, ErrNone
	}
	if err == nil {
		info, err = ParseInfo(text)
	}
	if err == nil && info.Name != name {
		err = fmt.Errorf("it describes %q", info.Name)
	}
	if err != nil {
		return info, fmt.Errorf("reading the description of %s: %w", name, err)
	}
	return info, nil
}

// Open opens the named snapshot for reading. It returns ErrNone if there is none.
func (f *Folder) Open(name string) (file *os.File, info Info, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	info, err = f.info(name)
	if err != nil {
		return nil, info, err
	}
	in, err := os.Open(filepath.Join(f.options.Path, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, info, ErrNone
	}
	if err != nil {
		return nil, info, fmt.Errorf("opening a snapshot: %w", err)
	}
	return in, info, nil
}

// Verify reads the named snapshot completely, and records in its description that it is whole. The
// error is ErrNone if there is none, a *file.DamagedError, or ctx's.
func (f *Folder) Verify(ctx context.Context, name string) (Info, error) {
	in, info, err := f.Open(name)
	if err != nil {
		return info, err
	}
	sum, _, err := Sum(ctx, in)
	if err = errors.Join(err, in.Close()); err != nil {
		return info, fmt.Errorf("reading a snapshot: %w", err)
	}
	path := filepath.Join(f.options.Path, name)
	if sum != info.SHA256 {
		return info, &file.DamagedError{Path: path, Detail: "its SHA-256 differs from the recorded one"}
	}
	if f.options.Check != nil {
		if _, err := f.options.Check(ctx, path); err != nil {
			return info, err
		}
	}
	info.Checked, info.CheckedAt = true, f.options.Now().UTC().Truncate(time.Millisecond)
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := f.info(name); err != nil { // a newer one has replaced it
		return info, err
	}
	return info, f.describe(info)
}

// describe writes the description of a snapshot.
func (f *Folder) describe(info Info) error {
	text, err := json.MarshalIndent(info, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(f.options.Path, info.Name)+infoSuffix, append(text, '\n'))
}

// Sum reads r to its end and returns its SHA-256 in hex, as in Info, and its size in
// bytes. It ends with ctx.
func Sum(ctx context.Context, r io.Reader) (sum string, size int64, err error) {
	hash := sha256.New()
	if size, err = io.Copy(hash, interruptible{ctx, r}); err != nil {
		return "", size, err
	}
	return hex.EncodeToString(hash.Sum(nil)), size, nil
}

// interruptible is a reader that fails once its context ends.
type interruptible struct {
	ctx context.Context
	r   io.Reader
}

func (i interruptible) Read(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	return i.r.Read(p)
}

// ReprDigest returns the header Repr-Digest (RFC 9530) of a file with a SHA-256, in hex as in Info.
func ReprDigest(sum string) (string, error) {
	b, err := hex.DecodeString(sum)
	return "sha-256=:" + base64.StdEncoding.EncodeToString(b) + ":", err
}
