package webui

import (
	"crypto/rand"
	"crypto/sha256"
	"sync"
	"time"

	"github.com/segraph/segraph/service"
)

// Limits of tickets: their number and their lifetime.
const (
	maxTickets = 1000
	ticketLife = time.Hour
)

// tickets records which documents were checked, by whom, and the results of storing them.
// A used ticket returns the same result again, so that pressing a button twice or
// reloading a page stores nothing twice.
type tickets struct {
	now func() time.Time

	mu  sync.Mutex
	all map[string]*ticket
}

// ticket is the permission to store one document. Storing holds its lock.
type ticket struct {
	sync.Mutex
	document [sha256.Size]byte
	actor    string
	at       time.Time
	stored   *service.Insertion // nil until it is stored
	logID    string             // guarded by the lock of tickets, so reading it does not wait for storing
}

func newTickets(now func() time.Time) *tickets {
	return &tickets{now: now, all: map[string]*ticket{}}
}

// issue returns the id of a new ticket for a document checked by an actor.
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

// name records which log was stored with a ticket.
func (t *tickets) name(used *ticket, logID string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	used.logID = logID
}

// forget removes the tickets of a withdrawn log.
func (t *tickets) forget(logID string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, other := range t.all {
		if other.logID == logID {
			delete(t.all, id)
		}
	}
}

// find returns the ticket with an id if it is for this document and this actor, or nil.
func (t *tickets) find(id string, document []byte, actor string) *ticket {
	t.mu.Lock()
	defer t.mu.Unlock()
	found := t.all[id]
	if found == nil || found.actor != actor || found.document != sha256.Sum256(document) || t.now().Sub(found.at) >= ticketLife {
		return nil
	}
	return found
}
