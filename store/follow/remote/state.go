package remote

import (
	"errors"
	"time"

	"github.com/segraph/segraph/store"
)

// absence is the error of a server that can't be queried.
type absence struct {
	state string // a state of store.Following
	err   error
	// first reports that the first attempt to reach the server is still running.
	first bool
	// refuses reports that posts and queries are refused rather than left to the file.
	refuses bool
	// importing reports that all posts and queries are refused, whatever other servers do.
	importing bool
}

func (a *absence) Error() string { return a.err.Error() }
func (a *absence) Unwrap() error { return a.err }

// moreHopeful reports whether a is a better reason than b for all servers: a first attempt may succeed soon, and the file
// answers unless the reason refuses that.
func (a *absence) moreHopeful(b *absence) bool {
	return a.first && !b.first || !a.refuses && b.refuses // an absence that is first never refuses
}

// setDown records why the server can't be queried.
func (f *follower) setDown(a *absence) {
	f.group.mu.Lock()
	defer f.group.mu.Unlock()
	f.setState(a)
}

// endFirst records that nobody waits any longer for the first attempt to reach the
// server.
func (f *follower) endFirst() {
	f.group.mu.Lock()
	defer f.group.mu.Unlock()
	if f.down != nil && f.down.first {
		down := *f.down
		down.first = false
		f.setState(&down)
	}
}

// setUp records that the server can be queried.
func (f *follower) setUp() {
	f.group.mu.Lock()
	defer f.group.mu.Unlock()
	f.setState(nil)
}

// setState sets f.down and logs the change. The caller holds f.group.mu.
func (f *follower) setState(a *absence) {
	switch before := f.down; {
	case a == nil:
		f.log.Info("the graph store is up to date", "product", f.config.Product, "change", f.received)
	case before != nil && before.err.Error() == a.err.Error(): // already logged
	case a.state == store.FollowResync:
		f.log.Info("the graph store can't be queried yet", "product", f.config.Product, "because", a.err)
	default:
		f.log.Error("the graph store can't be queried", "product", f.config.Product, "error", a.err)
	}
	f.down = a
	f.group.progressed()
}

// setSending records that the server can't be queried until it has received something,
// which what describes.
func (f *follower) setSending(what string) {
	f.setDown(&absence{state: store.FollowResync, err: &store.UnreadyError{Detail: f.config.Product + " is receiving " + what}})
}

// unreachable returns the absence of a server after an error.
func (f *follower) unreachable(err error) *absence {
	return &absence{state: store.FollowUnreachable, err: asUnready(f.config.Product, err)}
}

// absent returns the absence of a server that could not be brought up to date.
func (f *follower) absent(err error) *absence {
	a := f.unreachable(err)
	if errors.Is(err, errConflict) || errors.Is(err, errNotImported) {
		a.state, a.refuses = store.FollowConflict, true
	}
	return a
}

// missed records that a query found the server unreachable. A probe then finds out when
// it is back.
func (f *follower) missed(err error) {
	f.doubt.Store(true)
	f.group.mu.Lock()
	defer f.group.mu.Unlock()
	if f.down == nil {
		f.setState(f.unreachable(err))
	}
}

// whyDown returns the error that keeps the server from being queried, or nil.
func (f *follower) whyDown() error {
	f.group.mu.Lock()
	defer f.group.mu.Unlock()
	if f.down != nil {
		return f.down.err
	}
	return nil
}

// detailOf returns the public part of an error.
func detailOf(err error) string {
	var unready *store.UnreadyError
	if errors.As(err, &unready) {
		return unready.Detail
	}
	return "the graph store can't be queried"
}

// setReceived records the last change that the server has.
func (f *follower) setReceived(n uint64) {
	f.group.mu.Lock()
	defer f.group.mu.Unlock()
	f.received = n
	f.group.progressed()
}

// setEven records that the server is up to date now.
func (f *follower) setEven() {
	f.group.mu.Lock()
	defer f.group.mu.Unlock()
	f.current = time.Now()
}

// hasReceived reports whether the server has change n.
func (f *follower) hasReceived(n uint64) bool {
	f.group.mu.Lock()
	defer f.group.mu.Unlock()
	return f.received >= n
}

// near reports whether the server lacks at most maxBehind of the changes up to last.
func (f *follower) near(last uint64) bool {
	limit := f.config.maxBehind
	return last <= limit || f.hasReceived(last-limit)
}
