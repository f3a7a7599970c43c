//go:build amd64 || arm64

package e2e

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/powercut"
	"github.com/segraph/segraph/internal/suite"
)

// Marks of a recording: what the service has acknowledged.
type (
	ackedPost     struct{ name string }
	ackedWithdraw struct{ log string }
	ackedClear    struct{ clears int } // the graph was cleared this many times
	ackedBackup   struct{ sha256 string }
	ackedSight    struct{ body, uri string } // an observation and its context
	ackedCase     struct{ id, act string }
	// undoing means that, until the answer arrives, the context of an observation is
	// unknown.
	undoing struct{ body string }
	// forgetting means that the deletion with the number clears is about to remove
	// contexts.
	forgetting struct{ clears int }
	// quiet records the ETag of the graph after a document. Nothing else is written until
	// busy.
	quiet struct{ name, etag string }
	busy  struct{}
)

// outage is a run of the service with all its writes recorded.
type outage struct {
	t      *testing.T
	dir    string
	rec    *powercut.Recording
	tracer *powercut.Tracer
	s      *service

	mu      sync.Mutex
	posts   int
	logs    []string // logs that may be withdrawn
	cases   []string // undecided cases
	matches []match  // matches that were not undone
	sights  witnesses
	clears  int
}

func newOutage(t *testing.T) *outage {
	o := &outage{t: t, dir: t.TempDir(), rec: &powercut.Recording{}}
	var err error
	if o.tracer, err = powercut.NewTracer(o.dir, o.rec); err != nil {
		t.Fatal(err)
	}
	return o
}

// start starts the service with arguments and records it.
func (o *outage) start(args ...string) {
	o.t.Helper()
	trace := func(cmd *exec.Cmd) (func() int, error) {
		wait, err := o.tracer.Start(cmd)
		if err != nil {
			return nil, err
		}
		return func() int {
			code, err := wait()
			if err != nil {
				o.t.Errorf("the recording: %v", err)
			}
			return code
		}, nil
	}
	o.s = serveBy(o.t, trace, o.dir, []string{"TMPDIR=" + o.t.TempDir()}, append(args, "--data", filepath.Join(o.dir, "segraph.db"))...)
}

// record runs the service through everything that it writes: documents, decisions of the
// resolver and of people, flushes, deletions and backups. It ends with a kill. much is
// the number of requests that each of eight clients sends at a time. flushes is how often
// they fill the memory for deferred writes, which is small.
func (o *outage) record(much, flushes int) {
	o.start("--memory", "60")
	o.inQuiet(16)
	o.inParallel(much, true, false)
	o.fill(flushes)
	o.backup()
	o.inParallel(much, true, true)
	o.start("--memory", "60")
	o.inQuiet(12)
	o.clear(false)
	o.inQuiet(8)
	o.inParallel(much, true, false)
	o.inQuiet(8)
	o.clear(true)
	o.fill(flushes)
	o.backup()
	o.inQuiet(8)
	o.s.stop()
}

// inQuiet publishes n documents one by one and records the ETag after each.
func (o *outage) inQuiet(n int) {
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for range n {
		name := o.post(client)
		a := request(o.t, "HEAD", o.s.api+"/events", nil, "Accept", "application/n-triples")
		if a.status != http.StatusOK {
			o.t.Fatalf("HEAD /events: %d", a.status)
		}
		o.rec.Mark(quiet{name, strings.Trim(a.header.Get("ETag"), `"`)})
	}
	o.rec.Mark(busy{})
}

// inParallel lets eight clients send requests, with or without queries and backups. much is
// the number of requests of each kind. With kill, the process is killed in the middle.
func (o *outage) inParallel(much int, read, kill bool) {
	var all sync.WaitGroup
	for n := range clients {
		all.Go(func() { o.act(n, much, read) })
	}
	if kill {
		goal := o.rec.Len() + 3*much // about the middle
		poll(o.t, "much is written", func() bool { return o.rec.Len() > goal || o.t.Failed() })
		o.s.kill()
	}
	all.Wait()
	if o.t.Failed() {
		o.t.FailNow()
	}
}

// fill lets eight clients publish and resolve until the service has flushed the given
// number of times. Only a large number of deferred writes makes it flush.
func (o *outage) fill(flushes int) {
	o.t.Helper()
	since := o.rec.Len()
	flushed := func() bool { // each transaction writes one of the file's two meta pages
		return o.rec.WritesBefore("segraph.db", since, int64(2*os.Getpagesize())) >= 2*flushes // and a copy of it
	}
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for n := 0; !flushed() && !o.t.Failed(); n++ {
				if n == 500*flushes {
					o.t.Error("much was written, and not flushed")
				}
				if o.post(client) == "" || !o.see(client) {
					return
				}
			}
		})
	}
	all.Wait()
	if o.t.Failed() {
		o.t.FailNow()
	}
}

// The image that a power cut leaves at any moment opens, passes the check, has everything
// acknowledged, and nothing half done. The system calls of the real program are recorded
// from the creation of the file on. Unsynced writes, sizes and names may be lost, partly
// kept, torn at 512 bytes, reordered, or replaced by noise.
func TestAPowerCutLosesNothingThatWasAcknowledged(t *testing.T) {
	if storeSettings(t) != nil {
		t.Skip("with a graph store, the file is written the same way, except for the outbox")
	}
	t.Parallel()
	o := newOutage(t)
	begin := time.Now()
	o.record(suite.Times(25, 10), suite.Times(5, 1))
	writes, syncs, written := o.rec.Counts()
	t.Logf("recorded in %v: %d events, of them %d writes of %d bytes and %d syncs", time.Since(begin).Round(time.Millisecond), o.rec.Len(), writes, written, syncs)
	o.likeTheRecording()
	begin = time.Now()
	l := newLedger(t)
	images := suite.Times(10_000, suite.Size(suite.Full(120, 30), 20))
	disk := o.rec.Disk()
	for n, at := range o.rec.Moments(images, rand.New(rand.NewPCG(uint64(images), 7))) {
		if err := disk.Advance(at); err != nil {
			t.Fatal(err)
		}
		l.learn(disk.Marks())
		random := rand.New(rand.NewPCG(uint64(n), 7))
		fate := powercut.Fate(random.IntN(int(powercut.Fates)))
		l.check(disk.Cut(fate, random), fmt.Sprintf("image %d: %v after %d events, %d writes pending", n, fate, at, disk.Pending()))
		if t.Failed() {
			t.FailNow()
		}
		if n%1000 == 999 {
			t.Logf("%d images in %v", n+1, time.Since(begin).Round(time.Second))
		}
	}
	t.Logf("%d images in %v: %s", images, time.Since(begin).Round(time.Millisecond), l.summary())
	l.enough()
}

// likeTheRecording fails unless the recording produces the files that the program left.
// This shows that the recording is complete.
func (o *outage) likeTheRecording() {
	disk := o.rec.Disk()
	if err := disk.Advance(o.rec.Len()); err != nil {
		o.t.Fatal(err)
	}
	image := disk.Cut(powercut.Kept, nil)
	found := map[string]bool{}
	err := filepath.WalkDir(o.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(o.dir, path)
		if err != nil {
			return err
		}
		found[name] = true
		have, err := os.ReadFile(path)
		c := image[name]
		if want := append(slices.Clip(c.Data), make([]byte, c.Size-int64(len(c.Data)))...); err == nil && !bytes.Equal(have, want) {
			o.t.Errorf("the recording of %s is not what was written", name)
		}
		return err
	})
	if err != nil {
		o.t.Fatal(err)
	}
	if got := slices.Sorted(maps.Keys(image)); len(got) != len(found) || slices.ContainsFunc(got, func(name string) bool { return !found[name] }) {
		o.t.Errorf("recorded are %v, there are %v", got, slices.Sorted(maps.Keys(found)))
	}
}
