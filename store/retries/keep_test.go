package retries

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/log/journal"
)

// written is a record of the model.
type written struct {
	Request
	at     time.Time
	answer string
}

// model knows what must be kept and what must not.
type model struct {
	owned, all int
	keep       time.Duration
	records    []written // oldest first
}

// required reports whether a record must be kept: it is one of its user's newest, or young,
// and certainly among the newest that are kept.
func (m *model) required(i int, now time.Time) bool {
	return len(m.records)-i <= m.all && m.wanted(i, now)
}

// wanted reports whether a record is one of its user's newest, or young. Others must go.
func (m *model) wanted(i int, now time.Time) bool {
	if !m.records[i].at.Before(now.Add(-m.keep)) {
		return true
	}
	newer := 0
	for _, w := range m.records[i+1:] {
		if w.User == m.records[i].User {
			newer++
		}
	}
	return newer < m.owned
}

// Whatever is written, and whenever the file is opened again, what must be kept is found,
// nothing else is found for long, and no more than the limit is kept.
func TestAnswersAreKeptAsTheModelSays(t *testing.T) {
	suite.NotShort(t)
	for seed := range uint64(suite.Size(suite.Full(40, 8), 2)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { checkModel(t, rand.New(rand.NewPCG(seed, 35))) })
	}
}

func checkModel(t *testing.T, r *rand.Rand) {
	m := &model{owned: 1 + r.IntN(12), all: 60 + r.IntN(60), keep: time.Hour}
	f := newFixture(t, func(l *limits) { *l = limits{uint64(m.owned), uint64(m.all), m.keep, uint64(4 + r.IntN(20))} })
	users := []string{"ari", "eve", "bo", "cy", "di"}[:1+r.IntN(5)]
	write := func(user string) {
		q := request(user, fmt.Sprint(len(m.records)), fmt.Sprint("body", r.IntN(3)))
		q.ByRequest = r.IntN(3) == 0
		if found := f.find(q); found != "none" {
			t.Fatalf("a new request is %q", found)
		}
		w := written{Request: q, at: f.now, answer: fmt.Sprintf("201 log%d ", len(m.records))}
		if !q.ByRequest && r.IntN(5) == 0 {
			w.answer = fmt.Sprintf(`400 {"n":%d}`, len(m.records))
			f.refuse(q, w.answer[4:])
		} else {
			f.write(q, journal.Entry{LogID: fmt.Sprint("log", len(m.records))}, "")
		}
		m.records = append(m.records, w)
	}
	for range 400 {
		switch r.IntN(12) {
		case 0:
			f.now = f.now.Add(time.Duration(r.IntN(90)) * time.Minute)
		case 1:
			f.reopen()
		default:
			write(users[min(r.IntN(len(users)), r.IntN(len(users)))])
		}
		f.compareRequired(m, 5, r)
	}
	f.now = f.now.Add(2 * time.Hour)
	for range 40 { // enough to remove what is too much
		write(users[0])
	}
	f.check()
	kept := uint64(0)
	for i, w := range m.records {
		found := f.find(w.Request)
		switch {
		case found != "none" && found != w.answer,
			found == "none" && m.required(i, f.now),
			found != "none" && !m.wanted(i, f.now):
			t.Errorf("request %d of %d by %s is %q; its answer was %q", i, len(m.records), w.User, found, w.answer)
		}
		if found != "none" {
			kept++
		}
	}
	stats, err := f.Stats()
	if err != nil || stats.Records != kept {
		t.Errorf("%d answers are kept, %v; want %d", stats.Records, err, kept)
	}
}

// compareRequired looks for some of the answers that must be kept.
func (f *fixture) compareRequired(m *model, n int, r *rand.Rand) {
	f.t.Helper()
	for range min(n, len(m.records)) {
		i := r.IntN(len(m.records))
		if w := m.records[i]; m.required(i, f.now) && f.find(w.Request) != w.answer {
			f.t.Fatalf("request %d of %d by %s at %v is %q, want %q", i, len(m.records), w.User, w.at, f.find(w.Request), w.answer)
		}
	}
	stats, err := f.Stats()
	if err != nil || int(stats.Records) > m.all {
		f.t.Fatalf("%d answers are kept, %v; at most %d", stats.Records, err, m.all)
	}
}

// A user who floods the service pushes out nobody's newest answers.
func TestAFloodPushesOutOnlyItsOwnAnswers(t *testing.T) {
	suite.NotShort(t)
	f := newFixture(t, func(l *limits) { *l = limits{owned: 20, all: 100, keep: time.Hour, block: 16} })
	f.write(request("ari", "first", ""), journal.Entry{LogID: "first"}, "")
	oldest := f.now
	for i := range 90 {
		f.write(request("eve", fmt.Sprint(i), ""), journal.Entry{}, "")
	}
	for i := range 500 {
		f.now = f.now.Add(2 * time.Hour / 500)
		f.write(request("eve", fmt.Sprint("later", i), ""), journal.Entry{}, "")
		if i > 250 && f.find(request("ari", "first", "")) != "201 first " && f.now.Sub(oldest) > time.Hour {
			break
		}
	}
	// 250 an hour are more than all may have, so even the first went; with less it stays.
	if found := f.find(request("ari", "first", "")); found != "none" {
		t.Errorf("found %q", found)
	}
	f.write(request("ari", "second", ""), journal.Entry{LogID: "second"}, "")
	for i := range 500 {
		f.now = f.now.Add(time.Minute)
		f.write(request("eve", fmt.Sprint("slow", i), ""), journal.Entry{}, "")
	}
	if found := f.find(request("ari", "second", "")); found != "201 second " {
		t.Errorf("found %q", found)
	}
	stats, err := f.Stats()
	if err != nil || stats.Records > 20+61+1+1 {
		t.Errorf("%d answers are kept, %v", stats.Records, err)
	}
}

// A million keys take little memory, start at once, and are found quickly.
func TestAMillionKeys(t *testing.T) {
	suite.Slow(t, "it keeps 100,000 keys")
	n := suite.Times(1_000_000, 100_000)
	f := newFixture(t)
	begin := time.Now()
	const waiting = 256 // requests that share a sync
	for from := 0; from < n; from += waiting {
		done := make(chan error, waiting)
		for i := from; i < min(n, from+waiting); i++ {
			q := request(fmt.Sprint("robot", i%50), fmt.Sprintf("0b8e2f0e-5ac1-4d33-9b1e-%012d", i), fmt.Sprint("body", i))
			go func() {
				r, err := f.Identify(t.Context(), &q)
				if err == nil {
					_, err = f.Find(r)
				}
				if err == nil {
					r.Status = 201
					err = f.Keep(t.Context(), r, 201, nil, f.now)
				}
				done <- err
			}()
		}
		for range min(n, from+waiting) - from {
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		}
	}
	wrote := time.Since(begin)
	f.close()
	info, err := os.Stat(f.path)
	if err != nil {
		t.Fatal(err)
	}
	f.Retries = nil
	before := heap()
	begin = time.Now()
	f.open()
	opened := time.Since(begin)
	begin = time.Now()
	find := func(i int) string {
		return f.find(request(fmt.Sprint("robot", i%50), fmt.Sprintf("0b8e2f0e-5ac1-4d33-9b1e-%012d", i), fmt.Sprint("body", i)))
	}
	if found := find(n - 1); found != "201 " {
		t.Errorf("the last is %q", found)
	}
	first := time.Since(begin)
	used := heap() - before
	begin = time.Now()
	const looks = 2000
	for i := range looks {
		if found := find(i * (n / looks)); found != "201 " {
			t.Fatalf("request %d is %q", i*(n/looks), found)
		}
	}
	known := time.Since(begin) / looks
	begin = time.Now()
	for i := range looks {
		if found := find(n + i); found != "none" {
			t.Fatalf("an unknown request is %q", found)
		}
	}
	unknown := time.Since(begin) / looks
	t.Logf("%d keys: written in %v, file of %d MB, opened in %v, first found after %v, %d KB of memory, a known one in %v, an unknown one in %v",
		n, wrote.Round(time.Second), info.Size()>>20, opened.Round(time.Millisecond), first.Round(time.Millisecond), used>>10, known, unknown)
	if limit := int64(16 << 20); used > limit {
		t.Errorf("they take %d bytes of memory, want at most %d", used, limit)
	}
	suite.Within(t, "looking for an unknown key", 200*time.Microsecond, func() time.Duration { return unknown })
}

// heap returns the bytes of live memory.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
