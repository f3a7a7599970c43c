package admin

import (
	"crypto/rand"
	"crypto/sha256"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/segraph/segraph/service"
)

// Limits of tickets: their number and their lifetime.
const (
	maxTickets = 1000
	ticketLife = time.Hour
)

// tickets records which documents were checked, by whom, and the results of storing them. The form of /tokens has a
// ticket too, for the token that it issues. A used ticket returns the same result again, so that pressing a button
// twice or reloading a page stores nothing twice, and issues no second token.
type tickets struct {
	now func() time.Time

	mu  sync.Mutex
	all *simplelru.LRU[string, *ticket] // none moves when it is used, so the oldest goes first
}

// ticket is the permission to store one document, or to issue one token. Doing it holds its lock.
type ticket struct {
	sync.Mutex
	document [sha256.Size]byte
	actor    string
	at       time.Time
	stored   *service.Insertion // nil until it is stored
	token    string             // "" until it is issued
	asked    [3]string          // the user, the role and the end that token was issued for
	made     service.IssuedToken
	logID    string // guarded by the lock of tickets, so reading it does not wait for storing
}

func newTickets(now func() time.Time) *tickets {
	all, _ := simplelru.NewLRU[string, *ticket](maxTickets, nil) // fails only for a size of 0
	return &tickets{now: now, all: all}
}

// issue returns the id of a new ticket for a document checked by an actor.
func (t *tickets) issue(document []byte, actor string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	id := rand.Text()
	t.all.Add(id, &ticket{document: sha256.Sum256(document), actor: actor, at: t.now()})
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
	for _, id := range t.all.Keys() {
		if other, _ := t.all.Peek(id); other.logID == logID {
			t.all.Remove(id)
		}
	}
}

func (t *tickets) clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all.Purge()
}

// find returns the ticket with an id if it is for this document and this actor, or nil.
func (t *tickets) find(id string, document []byte, actor string) *ticket {
	t.mu.Lock()
	defer t.mu.Unlock()
	found, ok := t.all.Peek(id)
	if !ok || found.actor != actor || found.document != sha256.Sum256(document) || t.now().Sub(found.at) >= ticketLife {
		return nil
	}
	return found
}
