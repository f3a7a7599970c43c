package webui

import (
	"crypto/rand"
	"crypto/sha256"
	"sync"
	"time"

	"github.com/segraph/segraph/service"
)

// Bounds of tickets: how many there are, and how long one is good for.
const (
	maxTickets = 1000
	ticketLife = time.Hour
)

// tickets remember which documents were checked, by whom, and what came of storing them.
// One that was used gives the same answer again, so that pressing twice, or loading a
// page again, stores nothing twice.
type tickets struct {
	now func() time.Time

	mu  sync.Mutex
	all map[string]*ticket
}

// ticket is the leave to store one document. Who stores holds its lock.
type ticket struct {
	sync.Mutex
	document [sha256.Size]byte
	actor    string
	at       time.Time
	stored   *service.Insertion // nil while it is not
	logID    string             // of stored, for those who do not hold the lock; that of the tickets guards it
}

func newTickets(now func() time.Time) *tickets {
	return &tickets{now: now, all: map[string]*ticket{}}
}

// issue returns the id of a ticket for a document that an actor has had checked.
func (t *tickets) issue(document []byte, actor string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	oldest := ""
	for id, other := range t.all {
		if now.Sub(other.at) >= ticketLife {
			delete(t.all, id)
		} else if oldest == "" || other.at.Before(t.all[oldest].at) {
			oldest = id
		}
	}
	if len(t.all) >= maxTickets {
		delete(t.all, oldest)
	}
	id := rand.Text()
	t.all[id] = &ticket{document: sha256.Sum256(document), actor: actor, at: now}
	return id
}

// name notes which log was stored with a leave.
func (t *tickets) name(used *ticket, logID string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	used.logID = logID
}

// forget takes the leaves back with which a log was stored that was taken back.
func (t *tickets) forget(logID string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, other := range t.all {
		if other.logID == logID {
			delete(t.all, id)
		}
	}
}

// find returns the ticket of an id if it is for this document and this actor, or nil.
func (t *tickets) find(id string, document []byte, actor string) *ticket {
	t.mu.Lock()
	defer t.mu.Unlock()
	found := t.all[id]
	if found == nil || found.actor != actor || found.document != sha256.Sum256(document) || t.now().Sub(found.at) >= ticketLife {
		return nil
	}
	return found
}
