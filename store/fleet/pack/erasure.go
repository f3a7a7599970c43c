package pack

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/segraph/segraph/store/log/journal"
)

// Erasure is whom an entry of a box erased.
type Erasure struct {
	IRIs []string // the first; others may be names that are no IRIs
	To   string   // what replaces them: a random urn:uuid, or "" if nothing does
}

// Text returns the content of the entry in a pack.
func (e Erasure) Text() []byte { return []byte(strings.Join(append([]string{e.To}, e.IRIs...), "\n")) }

const uuidURN = "urn:uuid:"

// readErasure reads the content of an entry, and verifies that the entry commits to the names: person is its
// journal.Entry.Person. No entry commits to what replaces the names.
func readErasure(text, salt []byte, person string) (*Erasure, error) {
	lines := strings.Split(string(text), "\n")
	e := &Erasure{IRIs: lines[1:], To: lines[0]}
	id, err := uuid.Parse(strings.TrimPrefix(e.To, uuidURN))
	isURN := err == nil && e.To == uuidURN+id.String()
	if e.To != "" && !isURN {
		return nil, fmt.Errorf("a person is not replaced by %s and a UUID", uuidURN)
	}
	if len(e.IRIs) == 0 || !journal.NamesPerson(e.IRIs[0]) || slices.ContainsFunc(e.IRIs, func(name string) bool { return !journal.IsName(name) }) {
		return nil, fmt.Errorf("it names nobody by an IRI")
	}
	if len(salt) != len(journal.Salt{}) || journal.PersonOf(journal.Salt(salt), e.IRIs) != person {
		return nil, fmt.Errorf("it is not of the person whom the entry commits to")
	}
	return e, nil
}
