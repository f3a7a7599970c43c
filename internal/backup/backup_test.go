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
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
)

// source is a store that counts its backups; the n-th one has n entries.
type source struct {
	n, tx   atomic.Uint64
	changed atomic.Uint64 // 1 if the store has changed since the last backup
	size    int64
	fail    atomic.Pointer[error]
}

func (s *source) Backup(ctx context.Context, w io.Writer) (m store.Version, err error) {
	n := s.n.Add(1)
	if _, err := fmt.Fprintf(w, "moment %d", n); err != nil {
		return m, err
	}
	if p := s.fail.Load(); p != nil {
		return m, *p
	}
	return store.Version{Head: journal.Head{Seq: n}, Triples: int64(10 * n), Size: 8, Transaction: s.tx.Add(1)}, ctx.Err()
}

func (s *source) Version() (store.Version, error) {
	return store.Version{Head: journal.Head{Seq: s.n.Load()}, Size: s.size, Transaction: s.tx.Load() + s.changed.Load()}, nil
}

func (s *source) Holds(head string) (bool, error) {
	var seq uint64
	_, err := fmt.Sscanf(head, "%d:", &seq)
	return seq <= s.n.Load(), err
}

func (s *source) Content() (store.Content, error) { return store.Content{Logs: int(s.n.Load())}, nil }

func folder(t *testing.T, change ...func(*Options)) (*Folder, *source) {
	t.Helper()
	src := &source{size: 8}
	src.changed.Store(1)
	o := Options{Path: filepath.Join(t.TempDir(), "snapshots"), Keep: 3, Source: src}
	for _, f := range change {
		f(&o)
	}
	f, err := NewFolder(o)
	if err != nil {
		t.Fatal(err)
	}
	return f, src
}

func mustMake(t *testing.T, f *Folder, why Reason) Info {
	t.Helper()
	info, err := f.Make(t.Context(), why)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func names(t *testing.T, f *Folder) (out []string) {
	t.Helper()
	infos, err := f.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range infos {
		out = append(out, info.Name)
	}
	return out
}

func TestASnapshotIsDescribed(t *testing.T) {
	f, _ := folder(t)
	if got := names(t, f); got != nil {
		t.Errorf("a missing folder holds %v", got)
	}
	info := mustMake(t, f, DeleteAll)
	sum := sha256.Sum256([]byte("moment 1"))
	if info.SHA256 != hex.EncodeToString(sum[:]) || info.Size != 8 || info.Triples != 10 || info.Entries != 1 || info.Reason != DeleteAll || info.Checked {
		t.Errorf("%+v", info)
	}
	file, again, err := f.Open(info.Name)
	if err != nil || again != info {
		t.Fatalf("%+v, %v", again, err)
	}
	defer file.Close()
	if text, err := io.ReadAll(file); string(text) != "moment 1" || err != nil {
		t.Errorf("it holds %q, %v", text, err)
	}
}

func TestOfEachReasonOnlySoManyAreKept(t *testing.T) {
	clock := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	f, _ := folder(t, func(o *Options) { o.Now = func() time.Time { clock = clock.Add(time.Second); return clock } })
	var want []string
	for _, why := range []Reason{Schedule, DeleteAll, Request} {
		for i := range 5 {
			info := mustMake(t, f, why)
			if i >= 2 {
				want = append(want, info.Name)
			}
		}
	}
	slices.Reverse(want)
	if got := names(t, f); !slices.Equal(got, want) {
		t.Errorf("kept are %v, want %v", got, want)
	}
	left, err := os.ReadDir(f.options.Path)
	if err != nil || len(left) != 2*len(want) {
		t.Errorf("the folder holds %v, %v", left, err)
	}
}

// A snapshot that was just made is the newest, also after the clock was set back.
func TestANewSnapshotIsKept(t *testing.T) {
	clock := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	f, _ := folder(t, func(o *Options) { o.Now = func() time.Time { clock = clock.Add(time.Hour); return clock } })
	for range 3 {
		mustMake(t, f, DeleteAll)
	}
	clock = clock.AddDate(-4, 0, 0)
	info := mustMake(t, f, DeleteAll)
	if got := names(t, f); len(got) != 3 || !slices.Contains(got, info.Name) {
		t.Errorf("kept are %v, and %s was made", got, info.Name)
	}
}

func TestRequestedBackupsAreKeptEvenWithoutSnapshots(t *testing.T) {
	f, _ := folder(t, func(o *Options) { o.Keep = 0 })
	if f.Keeps() {
		t.Error("Keeps returned true")
	}
	for range 3 {
		mustMake(t, f, Request)
	}
	if got := names(t, f); len(got) != minKept {
		t.Errorf("kept are %v", got)
	}
}

func TestAClientGetsTheExistingSnapshotIfNothingChanged(t *testing.T) {
	f, src := folder(t)
	first := mustMake(t, f, Schedule)
	src.changed.Store(0)
	if again := mustMake(t, f, Request); again != first {
		t.Errorf("%+v, and there was %+v", again, first)
	}
	if other := mustMake(t, f, DeleteAll); other == first {
		t.Error("no snapshot was made before everything was deleted")
	}
	src.changed.Store(1)
	if later := mustMake(t, f, Request); later.Entries != 3 {
		t.Errorf("after a change there is %+v", later)
	}
}

func TestNamesLeadToSnapshotsAlone(t *testing.T) {
	f, _ := folder(t)
	info := mustMake(t, f, Request)
	outside := filepath.Join(filepath.Dir(f.options.Path), "x.db")
	for path, text := range map[string]string{outside: "x", outside + ".json": `{"name":"x.db"}`,
		filepath.Join(f.options.Path, "segraph-other.db"): "x", filepath.Join(f.options.Path, "segraph-forged.db.json"): `{"name":"../x.db"}`, filepath.Join(f.options.Path, "segraph-forged.db"): "x"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"", ".", "..", "../x.db", "segraph-other.db", info.Name + ".json", "/" + info.Name, "./" + info.Name, outside, "segraph-\x00.db", "segraph-" + strings.Repeat("x", 300) + ".db"} {
		if _, _, err := f.Open(name); !errors.Is(err, ErrNone) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, _, err := f.Open("segraph-forged.db"); err == nil {
		t.Error("a snapshot that is described as another one is opened")
	}
	if err := os.Remove(filepath.Join(f.options.Path, info.Name)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Open(info.Name); !errors.Is(err, ErrNone) {
		t.Errorf("a removed snapshot: %v", err)
	}
}

func TestAFailureLeavesNothingBehind(t *testing.T) {
	f, src := folder(t, func(o *Options) {
		o.Check = func(context.Context, string) (store.Version, error) {
			return store.Version{}, errors.New("it is damaged")
		}
	})
	if _, err := f.Make(t.Context(), Schedule); err == nil || !strings.Contains(err.Error(), "it is damaged") {
		t.Errorf("a snapshot that does not check: %v", err)
	}
	full := fmt.Errorf("backing up: %w", syscall.ENOSPC)
	src.fail.Store(&full)
	if _, err := f.Make(t.Context(), Request); !errors.Is(err, store.ErrDiskFull) {
		t.Errorf("a full disk: %v", err)
	}
	src.fail.Store(nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Make(ctx, Request); !errors.Is(err, context.Canceled) {
		t.Errorf("a client that went away: %v", err)
	}
	if left, err := os.ReadDir(f.options.Path); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}

func TestASnapshotThatHasNoRoomIsNotBegun(t *testing.T) {
	f, src := folder(t)
	src.size = 1 << 60
	var room *NoRoomError
	if _, err := f.Make(t.Context(), Request); !errors.As(err, &room) || !errors.Is(err, store.ErrDiskFull) || room.Need != 1<<60 {
		t.Errorf("%v", err)
	}
	if n := src.n.Load(); n != 0 {
		t.Errorf("it was begun %d times", n)
	}
}

func TestLeftoversOfAKillAreRemoved(t *testing.T) {
	f, _ := folder(t)
	info := mustMake(t, f, Schedule)
	for _, name := range []string{NewPrefix + "123", NewPrefix + "4"} {
		if err := os.WriteFile(filepath.Join(f.options.Path, name), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// A kill between writing the description and the snapshot leaves this file.
	if err := os.WriteFile(filepath.Join(f.options.Path, "half.db.json"), []byte(`{"name":"half.db"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := NewFolder(f.options)
	if err != nil {
		t.Fatal(err)
	}
	if got := names(t, again); !slices.Equal(got, []string{info.Name}) {
		t.Errorf("listed are %v", got)
	}
	left, _ := os.ReadDir(f.options.Path)
	for _, n := range left {
		if !strings.HasPrefix(n.Name(), info.Name) {
			t.Errorf("%s is left", n.Name())
		}
	}
}

func TestSnapshotsAreMadeOnTimeAlsoAfterARestartAndAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, src := folder(t, func(o *Options) {
			o.Check = func(context.Context, string) (store.Version, error) { return store.Version{}, nil }
		})
		run := func(f *Folder) (stop func()) {
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() { defer close(done); f.Run(ctx, 24*time.Hour) }()
			return func() { cancel(); <-done }
		}
		after := func(d time.Duration, want uint64) {
			t.Helper()
			time.Sleep(d) // on the fake clock
			synctest.Wait()
			if n := src.n.Load(); n != want {
				t.Errorf("%d snapshots were tried, want %d", n, want)
			}
		}
		stop := run(f)
		after(firstAfter-time.Second, 0)
		if in := time.Until(f.Next()); in <= 0 || in > time.Second {
			t.Errorf("the next snapshot is due in %v, want a second", in)
		}
		after(2*time.Second, 1)
		after(24*time.Hour, 2)
		stop()
		if at := f.Next(); !at.IsZero() {
			t.Errorf("a snapshot is due at %v, but none is scheduled", at)
		}
		after(6*time.Hour, 2)
		stop = run(f) // 6 h of the day have passed
		after(18*time.Hour-time.Minute, 2)
		after(2*time.Minute, 3)
		broken := errors.New("broken disk")
		src.fail.Store(&broken)
		after(24*time.Hour, 4)
		after(retryAfter, 5)
		src.fail.Store(nil)
		after(retryAfter, 6)
		after(23*time.Hour, 6)
		stop()
		infos, err := f.List()
		if err != nil || len(infos) != 3 || !infos[0].Checked {
			t.Errorf("%+v, %v", infos, err)
		}
	})
}

func TestAClockSetBackDelaysNothing(t *testing.T) {
	future := func() time.Time { return time.Now().Add(1000 * time.Hour) }
	f, _ := folder(t, func(o *Options) { o.Now = future })
	mustMake(t, f, Schedule)
	f.options.Now = time.Now
	if d := f.due(time.Hour); d > time.Hour {
		t.Errorf("the next one is due in %v", d)
	}
}

func TestADescriptionThatIsWrongIsNamedAsJSONDoes(t *testing.T) {
	for text, want := range map[string]string{
		`{"name":"x","size":"large"}`:   `the member "size" can't be a JSON string`,
		`{"name":"x","time":"tuesday"}`: `the member "time" is not a time such as "2026-01-31T12:00:00Z"`,
		`{"name":"x","time":7}`:         `the member "time" is not a time such as "2026-01-31T12:00:00Z"`,
		`{"name":"x"`:                   `unexpected end of JSON input`,
	} {
		if _, err := ParseInfo([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%s: %v", text, err)
		}
	}
	if info, err := ParseInfo([]byte(`{"name":"x","time":"2026-01-31T12:00:00Z"}`)); err != nil || info.Name != "x" {
		t.Errorf("%+v, %v", info, err)
	}
}

// readSource counts how often its content is read.
type readSource struct {
	*source
	reads int
}

func (s *readSource) Content() (store.Content, error) {
	s.reads++
	return s.source.Content()
}

// Compare reads the journals of a backup and of the store again only if they may have changed.
func TestAComparisonIsNotReadAgain(t *testing.T) {
	var read []string
	counted := &readSource{}
	f, src := folder(t, func(o *Options) {
		counted.source = o.Source.(*source)
		o.Source = counted
		o.Content = func(path string) (store.Content, error) {
			read = append(read, filepath.Base(path))
			return store.Content{Logs: len(read)}, nil
		}
	})
	first := mustMake(t, f, Request)
	compare := func(name string, then, has int) {
		t.Helper()
		if c, err := f.Compare(name); c.Then.Logs != then || c.Has.Logs != has || err != nil {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
	compare(first.Name, 1, 1)
	compare(first.Name, 1, 1)
	src.n.Add(1)
	compare(first.Name, 1, 2)
	second := mustMake(t, f, Request)
	compare(second.Name, 2, 3)
	compare(first.Name, 3, 3)
	if want := []string{first.Name, second.Name, first.Name}; !slices.Equal(read, want) {
		t.Errorf("read are %v, want %v", read, want)
	}
	if counted.reads != 3 {
		t.Errorf("the store is read %d times", counted.reads)
	}
}

// A backup that was sent is verified and listed. One that does not check, or is sent while another one
// arrives, leaves nothing.
func TestASentBackupJoinsTheList(t *testing.T) {
	f, _ := folder(t, func(o *Options) {
		o.Check = func(_ context.Context, path string) (v store.Version, err error) {
			text, err := os.ReadFile(path)
			if err == nil && string(text) != "whole" {
				err = errors.New("it is cut")
			}
			return store.Version{Triples: 7, Head: journal.Head{Seq: 3}}, err
		}
		o.Content = func(path string) (store.Content, error) {
			text, err := os.ReadFile(path)
			return store.Content{Logs: len(text)}, err
		}
	})
	if _, err := f.Add(t.Context(), strings.NewReader("who"), 100); err == nil || !strings.Contains(err.Error(), "it is cut") {
		t.Errorf("a cut backup: %v", err)
	}
	if found := names(t, f); len(found) > 0 {
		t.Errorf("a cut backup leaves %v", found)
	}
	slow, end := io.Pipe()
	first := make(chan Info)
	go func() {
		info, err := f.Add(t.Context(), slow, 100)
		if err != nil {
			t.Error(err)
		}
		first <- info
	}()
	if _, err := io.WriteString(end, "wh"); err != nil { // the first has begun
		t.Fatal(err)
	}
	if _, err := f.Add(t.Context(), strings.NewReader("whole"), 100); !errors.Is(err, ErrBusy) {
		t.Errorf("a second one meanwhile: %v", err)
	}
	if _, err := io.WriteString(end, "ole"); err != nil {
		t.Fatal(err)
	}
	end.Close()
	info := <-first
	if c, err := f.Compare(info.Name); c.Earlier || c.Now.Head.Seq != 0 || c.Then.Logs != 5 || c.Has.Logs != 0 || err != nil {
		t.Errorf("a backup with more entries is earlier: %+v, %v", c, err)
	}
	if !info.Checked || info.Size != 5 || info.Triples != 7 || info.Entries != 3 || info.Reason != Sent {
		t.Errorf("it is listed as %+v", info)
	}
	if found := names(t, f); !slices.Equal(found, []string{info.Name}) {
		t.Errorf("listed are %v", found)
	}
	if _, err := f.Add(t.Context(), strings.NewReader("whole and more"), 5); err != nil {
		t.Errorf("only as many bytes count as were announced: %v", err)
	}
	slow, end = io.Pipe()
	late := make(chan error)
	go func() {
		_, err := f.Add(t.Context(), slow, 100)
		late <- err
	}()
	if _, err := io.WriteString(end, "wh"); err != nil {
		t.Fatal(err)
	}
	if err := f.RemoveAll(t.Context()); err != nil { // somebody is erased
		t.Fatal(err)
	}
	if _, err := io.WriteString(end, "ole"); err != nil {
		t.Fatal(err)
	}
	end.Close()
	if err := <-late; !errors.Is(err, ErrEmptied) || len(names(t, f)) > 0 {
		t.Errorf("a backup that arrives during an erasure: %v, %v", err, names(t, f))
	}
}

// While a scheduled snapshot is checked, a deletion makes another one, and an erasure waits.
func TestACheckKeepsNoDeletionWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		end := make(chan struct{})
		f, _ := folder(t, func(o *Options) {
			o.Check = func(context.Context, string) (store.Version, error) { <-end; return store.Version{}, nil }
		})
		go func() {
			if _, err := f.Make(t.Context(), Schedule); err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait()
		mustMake(t, f, DeleteAll)
		go func() {
			if err := f.RemoveAll(t.Context()); err != nil {
				t.Error(err)
			}
		}()
		if synctest.Wait(); len(names(t, f)) != 1 {
			t.Errorf("an erasure did not wait: there is %v", names(t, f))
		}
		close(end)
		if synctest.Wait(); len(names(t, f)) > 0 {
			t.Errorf("an erasure left %v", names(t, f))
		}
	})
}

// A snapshot is not read on for a client that has left.
func TestVerifyingEndsWithItsContext(t *testing.T) {
	f, _ := folder(t, func(o *Options) { o.Check = nil })
	info := mustMake(t, f, Request)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Verify(ctx, info.Name); !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with %v", err)
	}
}

// Files that restores kept are listed, and go by name, by age, and with all snapshots.
func TestFilesKeptByRestoresGo(t *testing.T) {
	data := filepath.Join(t.TempDir(), "x.db")
	f, _ := folder(t, func(o *Options) { o.Data = data })
	keep := func(whens ...string) {
		t.Helper()
		for _, when := range whens {
			if err := os.WriteFile(data+when, []byte("old"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	listed := func() (out []string) {
		t.Helper()
		all, err := f.Kept()
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range all {
			out = append(out, strings.TrimPrefix(k.Name, "x.db.before-restore-"))
		}
		return out
	}
	const first, second, third = "20260101T000000.000Z", "20260201T000000.000Z", "20260301T000000.000Z"
	keep("", "-wal", ".before-restore-by-hand", ".before-restore-"+first, ".before-restore-"+second, ".before-restore-"+third)
	if got := listed(); !slices.Equal(got, []string{third, second, first}) {
		t.Errorf("kept are %v", got)
	}
	alone := filepath.Join(f.options.Path, "segraph-alone.db") // without a description, as somebody's copy may be
	if err := errors.Join(os.MkdirAll(f.options.Path, 0o700), os.WriteFile(alone, []byte("old"), 0o600), os.Chtimes(alone, time.Time{}, time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC))); err != nil {
		t.Fatal(err)
	}
	if n, err := f.RemoveOlder(time.Date(2026, 1, 15, 0, 0, 0, 0, time.UTC)); n != 2 || err != nil {
		t.Errorf("%d are too old, %v", n, err)
	}
	if _, err := os.Stat(alone); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the snapshot without a description: %v", err)
	}
	for name, want := range map[string]error{"x.db": ErrNone, "../x.db": ErrNone, "x.db.before-restore-" + third: nil} {
		if err := f.RemoveKept(name); !errors.Is(err, want) {
			t.Errorf("removing %s: %v", name, err)
		}
	}
	if got := listed(); !slices.Equal(got, []string{second}) {
		t.Errorf("left are %v", got)
	}
	if err := f.RemoveAll(t.Context()); err != nil || len(listed()) > 0 {
		t.Errorf("left are %v, %v", listed(), err)
	}
	for _, stays := range []string{"", "-wal", ".before-restore-by-hand"} {
		if _, err := os.Stat(data + stays); err != nil {
			t.Error(err)
		}
	}
}

// Snapshots go although the files that restores kept can't be removed.
func TestSnapshotsGoThoughKeptFilesStay(t *testing.T) {
	f, _ := folder(t, func(o *Options) { o.Data = filepath.Join(t.TempDir(), "none", "x.db") })
	mustMake(t, f, Request)
	if err := f.RemoveAll(t.Context()); err == nil || len(names(t, f)) > 0 {
		t.Errorf("%v are left, %v", names(t, f), err)
	}
	info := mustMake(t, f, Request)
	if n, err := f.RemoveOlder(info.Time.Add(time.Hour)); err == nil || n != 1 {
		t.Errorf("%d are too old, %v", n, err)
	}
}
