package retries

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/coding"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
)

// fixture is a file with kept answers, and a clock.
type fixture struct {
	t    testing.TB
	path string
	*Retries
	now time.Time
}

func newFixture(t testing.TB, change ...func(*limits)) *fixture {
	f := &fixture{t: t, path: filepath.Join(t.TempDir(), "x.db"), now: time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC)}
	f.open(change...)
	t.Cleanup(func() { f.close() })
	return f
}

func (f *fixture) open(change ...func(*limits)) {
	f.t.Helper()
	f.Retries = New()
	for _, c := range change {
		c(&f.limits)
	}
	if _, err := engine.Open(f.path, engine.Options{Extensions: []engine.Extension{f.Extension()}}); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) close() {
	f.t.Helper()
	if f.store == nil {
		return
	}
	if err := f.store.Close(); err != nil {
		f.t.Error(err)
	}
	f.store = nil
}

// reopen closes the file and opens it again with the same limits.
func (f *fixture) reopen() {
	f.t.Helper()
	was := f.limits
	f.close()
	f.open(func(l *limits) { *l = was })
}

func request(user, key, body string) Request {
	return Request{User: user, Method: "POST", Path: "/ttl", Key: key, Size: int64(len(body)), Body: sha256.Sum256([]byte(body))}
}

// find returns the kept answer to a request, "none", or "other body".
func (f *fixture) find(q Request) string {
	f.t.Helper()
	t, err := f.Identify(f.t.Context(), &q)
	if err != nil {
		f.t.Fatal(err)
	}
	k, err := f.Find(t)
	switch {
	case errors.Is(err, ErrOtherBody):
		return "other body"
	case err != nil:
		f.t.Fatal(err)
	case k == nil:
		return "none"
	case k.Entry != nil:
		return fmt.Sprintf("%d %s %s", k.Status, k.Entry.LogID, k.Answer)
	}
	return fmt.Sprintf("%d %s", k.Status, k.Answer)
}

// write appends the entry of a request's write, with an answer.
func (f *fixture) write(q Request, e journal.Entry, answer string) {
	f.t.Helper()
	t, err := f.Identify(f.t.Context(), &q)
	if err != nil {
		f.t.Fatal(err)
	}
	t.Status, t.Encode = 201, json.Marshal
	if answer != "" {
		t.Answer = []byte(answer)
	}
	e.Retry, e.Time, e.Secret = t, f.now, journal.NewSecret()
	e.Commitment = e.Secret.Content().Commit([]byte("content"))
	f.enter(e)
	if !t.Entered {
		f.t.Error("the answer was not stored with the entry")
	}
}

func (f *fixture) enter(e journal.Entry) {
	f.t.Helper()
	if err := f.store.Update(f.t.Context(), func(tx *engine.Tx) error { return tx.Journal(e) }); err != nil {
		f.t.Fatal(err)
	}
}

// refuse keeps a refusal.
func (f *fixture) refuse(q Request, answer string) {
	f.t.Helper()
	t, err := f.Identify(f.t.Context(), &q)
	if err != nil {
		f.t.Fatal(err)
	}
	if err := f.Keep(f.t.Context(), t, 400, []byte(answer), f.now); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) check() {
	f.t.Helper()
	if err := f.store.Check(f.t.Context()); err != nil {
		f.t.Error(err)
	}
}

// The same request gets the first answer, also after a restart. Another body with its key is
// an error, and a request that differs in anything else is another one. A request id counts
// only together with the body.
func TestARequestThatIsSentAgainFindsItsFirstAnswer(t *testing.T) {
	f := newFixture(t)
	byID := request("ari", "id", "one")
	byID.ByRequest = true
	f.write(request("ari", "key", "one"), journal.Entry{LogID: "log1"}, "")
	f.write(request("ari", "decision", "two"), journal.Entry{LogID: "log2", Action: journal.Accept}, `{"a":1}`)
	f.refuse(request("ari", "bad", "three"), `{"status":400}`)
	f.write(byID, journal.Entry{LogID: "log3"}, `{"warnings":[]}`)
	for range 2 {
		for name, c := range map[string]struct {
			change func(*Request)
			want   string
		}{
			"the same":        {func(*Request) {}, "201 log1 "},
			"another key":     {func(q *Request) { q.Key = "key2" }, "none"},
			"another user":    {func(q *Request) { q.User = "eve" }, "none"},
			"another method":  {func(q *Request) { q.Method = "PUT" }, "none"},
			"another path":    {func(q *Request) { q.Path = "/ttl/x" }, "none"},
			"another query":   {func(q *Request) { q.Query = "a=b" }, "none"},
			"shifted":         {func(q *Request) { q.Path, q.Query = "/tt", "l" }, "none"},
			"another body":    {func(q *Request) { *q = request("ari", "key", "two") }, "other body"},
			"the key as id":   {func(q *Request) { q.ByRequest = true }, "none"},
			"a decision":      {func(q *Request) { *q = request("ari", "decision", "two") }, `201 log2 {"a":1}`},
			"a refusal":       {func(q *Request) { *q = request("ari", "bad", "three") }, `400 {"status":400}`},
			"an id":           {func(q *Request) { *q = byID }, `201 log3 {"warnings":[]}`},
			"an id, a body":   {func(q *Request) { *q = request("ari", "id", "two"); q.ByRequest = true }, "none"},
			"an id, a length": {func(q *Request) { *q = request("ari", "id", "longer"); q.ByRequest = true }, "none"},
			"an id as key":    {func(q *Request) { *q = request("ari", "id", "one") }, "none"},
		} {
			q := request("ari", "key", "one")
			if c.change(&q); f.find(q) != c.want {
				t.Errorf("%s: found %q, want %q", name, f.find(q), c.want)
			}
		}
		f.check()
		f.reopen()
	}
}

// A client may send one request id with many bodies, also of one length.
func TestOneRequestIDMayComeWithManyBodies(t *testing.T) {
	f := newFixture(t, func(l *limits) { l.block = 8 })
	for i := range 40 {
		q := request("ari", "always", fmt.Sprintf("body %02d", i))
		q.ByRequest = true
		if found := f.find(q); found != "none" {
			t.Fatalf("body %d is known: %s", i, found)
		}
		f.write(q, journal.Entry{LogID: fmt.Sprint("log", i)}, "")
	}
	for range 2 {
		for i := range 40 {
			q := request("ari", "always", fmt.Sprintf("body %02d", i))
			q.ByRequest = true
			if found, want := f.find(q), fmt.Sprintf("201 log%d ", i); found != want {
				t.Errorf("found %q, want %q", found, want)
			}
		}
		f.reopen()
	}
}

// A withdrawn log is still known by its key, and nothing in the file tells its body any more.
// As long as the process runs, it is known by a request id too, and told from other bodies.
func TestTheHashOfABodyGoesWithTheContent(t *testing.T) {
	for name, gone := range map[string]func(kv.Writer) error{
		"withdrawn": func(tx kv.Writer) error {
			return journal.Erase(tx, 2, journal.GroupsOf(journal.Client, journal.Content))
		},
		"all deleted": func(tx kv.Writer) error { return journal.EraseLogs(tx, nil) },
	} {
		for _, byID := range []bool{false, true} {
			t.Run(fmt.Sprint(name, byID), func(t *testing.T) {
				f := newFixture(t)
				f.write(request("ari", "before", "zero"), journal.Entry{LogID: "log0"}, "")
				q, other := request("ari", "key", "one"), request("ari", "key", "two")
				q.ByRequest, other.ByRequest = byID, byID
				f.write(q, journal.Entry{LogID: "log1"}, `{"quoted":"<http://ex/maria>"}`)
				if err := f.store.Update(t.Context(), func(tx *engine.Tx) error { return gone(tx.KV()) }); err != nil {
					t.Fatal(err)
				}
				f.write(request("ari", "after", "three"), journal.Entry{LogID: "log2"}, "")
				found := f.find(q)
				if want := "201 log1 "; !strings.HasPrefix(found, want) {
					t.Errorf("the log is %q, want %q", found, want)
				}
				if strings.Contains(found, "maria") {
					t.Errorf("warnings stay: %s", found)
				}
				if found, want := f.find(other), map[bool]string{false: "other body", true: "none"}[byID]; found != want {
					t.Errorf("another body is %q, want %q", found, want)
				}
				f.reopen()
				want := "201 log1 "
				if byID {
					want = "none"
				}
				if found := f.find(q); !strings.HasPrefix(found, want) {
					t.Errorf("after a restart the log is %q, want %q", found, want)
				}
				if found := f.find(request("ari", "after", "four")); found != "other body" {
					t.Errorf("a later key with another body is %q", found)
				}
				f.store.View(func(s *engine.Snapshot) error {
					x, err := decode(numberKey(2), s.KV().Bucket(recordsName).Get(numberKey(2)))
					if err != nil {
						return err
					}
					if k, hash, err := x.kept(s.KV()); len(x.content) > 0 || hash != nil || k.Entry.Retried != "" || err != nil {
						t.Errorf("the file still has a hash of the body: %+v, %v", x, err)
					}
					return nil
				})
				f.check()
			})
		}
	}
}

// If everything is deleted with contexts, no answer stays.
func TestNoAnswerStaysIfContextsAreDeleted(t *testing.T) {
	f := newFixture(t, func(l *limits) { l.block, l.owned = 8, 10 })
	for i := range 50 {
		f.write(request("ari", fmt.Sprint(i), "one"), journal.Entry{LogID: fmt.Sprint("log", i)}, `{"a":1}`)
		f.find(request("ari", "unknown", ""))
	}
	q := request("ari", "all", "body")
	r, err := f.Identify(t.Context(), &q)
	if err != nil {
		t.Fatal(err)
	}
	r.Status, r.Encode = 200, json.Marshal
	if _, err := f.store.Clear(t.Context(), true, journal.Entry{Action: journal.Clear, LogID: "cleared", Retry: r, Time: f.now}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for i := range 50 {
			if found := f.find(request("ari", fmt.Sprint(i), "one")); found != "none" {
				t.Errorf("request %d is %q", i, found)
			}
		}
		if found := f.find(q); !strings.HasPrefix(found, "200 cleared ") {
			t.Errorf("the deletion itself is %q", found)
		}
		f.check()
		f.write(request("ari", "next", "one"), journal.Entry{LogID: "next"}, "")
		if found := f.find(request("ari", "next", "one")); found != "201 next " {
			t.Errorf("the next request is %q", found)
		}
		f.check()
		f.reopen()
	}
}

// On a full disk a client may try again for long. What it got before stays, also after its next success.
func TestFailedWritesPushOutNoAnswers(t *testing.T) {
	f := newFixture(t, func(l *limits) { l.block, l.owned = 8, 10 })
	for i := range 10 {
		f.write(request("ari", fmt.Sprint("kept ", i), "one"), journal.Entry{LogID: fmt.Sprint("log", i)}, "")
	}
	f.now = f.now.Add(2 * KeepTime)
	full := errors.New("the disk is full")
	for i := range 30 {
		q := request("ari", fmt.Sprint("failed ", i%3), "one")
		r, err := f.Identify(t.Context(), &q)
		if err != nil {
			t.Fatal(err)
		}
		err = f.store.Update(t.Context(), func(tx *engine.Tx) error {
			return errors.Join(tx.Journal(journal.Entry{Retry: r, Time: f.now}), full)
		})
		if !errors.Is(err, full) {
			t.Fatal(err)
		}
	}
	for i := range 20 { // enough to look at all
		f.write(request("eve", fmt.Sprint(i), "one"), journal.Entry{LogID: "other"}, "")
	}
	for _, newer := range []int{0, 1} {
		for i := range 10 {
			want := fmt.Sprintf("201 log%d ", i)
			if i < newer {
				want = "none"
			}
			if found := f.find(request("ari", fmt.Sprint("kept ", i), "one")); found != want {
				t.Errorf("after %d newer keys, answer %d is %q, want %q", newer, i, found, want)
			}
		}
		f.write(request("ari", "newer", "one"), journal.Entry{LogID: "newer"}, "")
		for i := range 20 {
			f.write(request("eve", fmt.Sprint("more ", i), "one"), journal.Entry{LogID: "other"}, "")
		}
		f.now = f.now.Add(2 * KeepTime)
	}
	if len(f.pending) != 0 {
		t.Errorf("%d writes are pending", len(f.pending))
	}
}

// Check reports a damaged record, count or index.
func TestCheckFindsDamage(t *testing.T) {
	for _, name := range []string{recordsName, usersName, indexName} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, func(l *limits) { l.block = 8 })
			for i := range 40 {
				f.write(request("ari", fmt.Sprint(i), "one"), journal.Entry{}, "")
				f.find(request("ari", "unknown", ""))
			}
			f.check()
			err := f.store.Update(t.Context(), func(tx *engine.Tx) error {
				b, err := tx.KV().Writable(name)
				if err != nil {
					return err
				}
				k, v := b.Cursor().First()
				v = slices.Clone(v)
				v[3] ^= 1
				return b.Put(slices.Clone(k), v)
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := f.store.Check(t.Context()); err == nil {
				t.Error("the damage was not found")
			}
		})
	}
}

// Nothing is written by looking, and a file that was never asked has no secret.
func TestAFileWithoutKeysHasNothingOfThem(t *testing.T) {
	f := newFixture(t)
	f.enter(journal.Entry{})
	f.store.View(func(s *engine.Snapshot) error {
		for _, name := range []string{recordsName, usersName, indexName, stateName} {
			if k, _ := s.KV().Bucket(name).Cursor().First(); k != nil {
				t.Errorf("%s has %q", name, k)
			}
		}
		return nil
	})
	stats, err := f.Stats()
	if err != nil || stats != (Stats{}) {
		t.Errorf("the statistics are %+v, %v", stats, err)
	}
}

// TestTheNewestOfTwoAnswersToOneRequestStays has an answer that was stored with an entry and replaced at the end, as that
// to a withdrawal in several units is. Others fill the block, which is then indexed.
func TestTheNewestOfTwoAnswersToOneRequestStays(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(l *limits) { l.block = 8 })
	q := request("ari", "k", "one")
	f.write(q, journal.Entry{Action: journal.Withdraw, LogID: "x"}, `"interim"`)
	r, err := f.Identify(t.Context(), &q)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Keep(t.Context(), r, 200, []byte(`"final"`), f.now); err != nil {
		t.Fatal(err)
	}
	before := f.find(q)
	for i := range 20 {
		f.write(request("eve", fmt.Sprint(i), "one"), journal.Entry{LogID: "other"}, "")
	}
	if got := f.find(q); got != before || !strings.Contains(got, "final") {
		t.Errorf("%s became %s", before, got)
	}
}

// A signed body is kept with its coding, inside that of the file.
func TestWhatIsInACompressedBodyIsUnpacked(t *testing.T) {
	const skipped = "\x50\x2a\x4d\x18\x00\x00\x00\x00"                                      // an empty frame of zstd
	text := append(bytes.Repeat([]byte("# more\n"), 3<<20), "# about <http://ex/maria>"...) // as long as a body may be
	for _, body := range [][]byte{text, coding.Pack(coding.Gzip, text), coding.Pack(coding.Zstd, text), append([]byte(skipped), coding.Pack(coding.Zstd, text)...)} {
		all := Unpacked(append([]byte("id"), journal.PackBody(body)...))
		if !slices.ContainsFunc(all, func(b []byte) bool { return string(b) == string(text) }) {
			t.Errorf("%.20q is found in %d parts", body, len(all))
		}
	}
}
