package journal

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash"
	"slices"
	"strings"
	"unicode"
)

// An entry stays forever, so what can name somebody is not in it. Such values form
// groups, and the entry has a salted hash of each: the base64, without padding, of
// SHA-256(salt, then each value of the group in order, followed by a line break; absent
// values are empty). It has no hash of a group without values. The values and the salts
// are beside the entry (beside.go), and each group can be erased alone. Then nobody can
// check a guess at its values.

// Group is a group of values of an entry.
type Group uint8

const (
	Who     Group = iota // actor, claimed user, owner, robot, signer, bytes of an added or removed key, revoked user, token id
	What                 // subject, kind, observed time, detail
	Client               // address, request id
	Content              // what a log said: the document's SHA-256 and the salt of its hashes

	groupCount = 4
)

var words = [groupCount]string{"who", "what", "client", "content"}

// String returns the word that goes into the group's salt.
func (g Group) String() string { return words[g] }

// Groups is a set of groups.
type Groups uint8

// GroupsOf returns the set of some groups.
func GroupsOf(groups ...Group) (s Groups) {
	for _, g := range groups {
		s |= 1 << g
	}
	return s
}

// Has reports whether a group is in the set.
func (s Groups) Has(g Group) bool { return s&(1<<g) != 0 }

// all calls f with each group in order.
func (s Groups) all(f func(Group)) {
	for g := range Group(groupCount) {
		if s.Has(g) {
			f(g)
		}
	}
}

// MarshalJSON writes the words of the groups.
func (s Groups) MarshalJSON() ([]byte, error) {
	list := []string{}
	s.all(func(g Group) { list = append(list, g.String()) })
	return json.Marshal(list)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Groups) UnmarshalJSON(text []byte) error {
	var list []string
	if err := json.Unmarshal(text, &list); err != nil {
		return fmt.Errorf("reading groups of an entry: %w", err)
	}
	*s = 0
	for _, word := range list {
		g := slices.Index(words[:], word)
		if g < 0 {
			return fmt.Errorf("reading groups of an entry: there is no group %q", word)
		}
		*s |= 1 << g
	}
	return nil
}

// values returns the values of a group, in the order in which they are hashed. Content
// has none: the document's bytes and its graph are hashed.
func (e *Entry) values(g Group) []*string {
	switch g {
	case Who:
		key := &e.Key
		if e.Action != UseKey && e.Action != DropKey {
			key = &e.noKey // the log's own keys stay in the entry
		}
		return []*string{&e.Actor, &e.Claimed, &e.Owner, &e.Robot, &e.Signer, key, &e.Revoked.Username, &e.Revoked.TokenID}
	case What:
		return []*string{&e.Subject, &e.Kind, &e.Observed, &e.Detail}
	case Client:
		return []*string{&e.Address, &e.RequestID}
	}
	return nil
}

// clearGroups removes the values of Who, What and Client.
func (e *Entry) clearGroups() {
	for g := Who; g <= Client; g++ {
		for _, v := range e.values(g) {
			*v = ""
		}
	}
}

// A Secret is random. The salts of an entry are derived from it, so that showing one of
// them does not reveal the others. The zero Secret means that there is none.
type Secret [16]byte

// NewSecret returns a new Secret.
func NewSecret() (s Secret) {
	rand.Read(s[:])
	return s
}

// Salt is hashed before a value. The zero Salt means that there is none.
type Salt [16]byte

// Salt returns the salt of a group.
func (s Secret) Salt(g Group) Salt {
	var b [32]byte
	sum := sha256.Sum256(append(append(b[:0], s[:]...), g.String()...))
	return Salt(sum[:len(Salt{})])
}

// Content returns the salt of the content's hashes.
func (s Secret) Content() Salt { return s.Salt(Content) }

// Commit returns the base64 of the SHA-256 of the salt and some data, without padding.
func (s Salt) Commit(data []byte) string {
	h := s.Hash()
	_, _ = h.Write(data)
	return Committed(h)
}

// Hash returns a SHA-256 that has hashed the salt, for data that comes in pieces.
func (s Salt) Hash() hash.Hash {
	h := sha256.New()
	_, _ = h.Write(s[:])
	return h
}

// Committed returns the base64 of what a hash of Salt.Hash has hashed, without padding.
func Committed(h hash.Hash) string { return base64.RawStdEncoding.EncodeToString(h.Sum(nil)) }

func (s Salt) hashOf(values []*string) string {
	b := append(make([]byte, 0, 256), s[:]...)
	for _, v := range values {
		b = append(append(b, *v...), '\n')
	}
	sum := sha256.Sum256(b)
	return base64.RawStdEncoding.EncodeToString(sum[:])
}

// Salted are the hashes in an entry and the salts beside it. Readers set them.
type Salted struct {
	Salts  [groupCount]Salt // zero after the group was erased
	Hashes [Content]string  // "" for a group without values
}

// Salt returns the salt of a group, and reports whether there is one: whether the entry
// has the group and it was not erased.
func (s *Salted) Salt(g Group) (Salt, bool) { return s.Salts[g], s.Salts[g] != Salt{} }

// Open are groups of an entry that are shown to others. With them and the entry they
// can compute the hashes. Client is never shown.
type Open struct {
	Who  *Opened `json:"who,omitempty"`
	What *Opened `json:"what,omitempty"`
}

// Opened is a group that is shown.
type Opened struct {
	Salt   []byte   `json:"salt"`
	Values []string `json:"values"` // all of the group in order, absent ones empty
}

// field returns the field of a group, Who or What.
func (o *Open) field(g Group) **Opened {
	if g == Who {
		return &o.Who
	}
	return &o.What
}

// Show returns Who and What, each only if it is in the set and the entry still has it. It
// returns nil if neither is left.
func (e *Entry) Show(groups Groups) *Open {
	var out Open
	for g := Who; g <= What; g++ {
		salt, has := e.Salted.Salt(g)
		if !groups.Has(g) || !has {
			continue
		}
		shown := &Opened{Salt: salt[:]}
		for _, v := range e.values(g) {
			shown.Values = append(shown.Values, *v)
		}
		*out.field(g) = shown
	}
	if out == (Open{}) {
		return nil
	}
	return &out
}

// Size returns how many bytes the values have.
func (o *Open) Size() (n int) {
	for g := Who; o != nil && g <= What; g++ {
		if shown := *o.field(g); shown != nil {
			for _, v := range shown.Values {
				n += len(v)
			}
		}
	}
	return n
}

// Read sets the values and salts of e, an entry of Parse, to those that are shown. It
// returns an error unless they have the hashes in the entry.
func (e *Entry) Read(o *Open) error {
	if o == nil {
		return nil
	}
	for g := Who; g <= What; g++ {
		shown, values := *o.field(g), e.values(g)
		if shown == nil {
			continue
		}
		if len(shown.Salt) != len(Salt{}) || len(shown.Values) != len(values) || slices.ContainsFunc(shown.Values, hasControls) {
			return fmt.Errorf("its %s does not have a salt of 16 bytes and %d values without control characters", g, len(values))
		}
		all := make([]*string, len(values))
		for i := range all {
			all[i] = &shown.Values[i]
		}
		if e.Salted.Hashes[g] == "" || Salt(shown.Salt).hashOf(all) != e.Salted.Hashes[g] {
			return fmt.Errorf("its %s has another hash than the entry", g)
		}
		e.Salted.Salts[g] = Salt(shown.Salt)
		for i, v := range values {
			*v = shown.Values[i]
		}
	}
	return nil
}

func hasControls(s string) bool { return strings.ContainsFunc(s, unicode.IsControl) }
