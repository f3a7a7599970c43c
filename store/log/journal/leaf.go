package journal

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/segraph/segraph/store/engine/kv"
)

// MaxStored is the largest size of a stored entry, with the values of its groups, in
// bytes.
const MaxStored = 60_000

// EntryError says why an entry can't be written. Trying again does not help.
type EntryError struct{ Detail string }

func (e *EntryError) Error() string { return e.Detail }

// leaf is the stored form of an entry: its members that stay, and the hashes of its
// groups. The tree has these bytes as a leaf.
type leaf struct {
	Entry
	Actor  string `json:"actor,omitempty"` // in Who: hides the member of Entry, which is never empty
	Who    string `json:"who,omitempty"`
	What   string `json:"what,omitempty"`
	Client string `json:"client,omitempty"`
}

// encode returns the stored form of an entry, which begins with link, and the groups that
// it has. It sets Secret, if it is zero, and Salted. The error may be an *EntryError.
func (e *Entry) encode(link []byte) (stored []byte, given Groups, err error) {
	size := len(link)
	if e.Secret == (Secret{}) {
		e.Secret = NewSecret()
	}
	e.Salted, e.Erased = Salted{}, 0
	if e.saltedContent() {
		given, e.Salted.Salts[Content] = GroupsOf(Content), e.Secret.Salt(Content)
	}
	for g := Who; g <= Client; g++ {
		values, has := e.values(g), 0
		for _, v := range values {
			has += len(*v)
			if hasControls(*v) {
				return nil, 0, &EntryError{fmt.Sprintf("a value of the journal's entry has control characters: %.200q", *v)}
			}
		}
		if has == 0 {
			continue
		}
		size, given = size+has, given|1<<g
		e.Salted.Salts[g] = e.Secret.Salt(g)
		e.Salted.Hashes[g] = e.Salted.Salts[g].hashOf(values)
	}
	r := leaf{Entry: *e, Who: e.Salted.Hashes[Who], What: e.Salted.Hashes[What], Client: e.Salted.Hashes[Client]}
	r.clearGroups()
	if e.Commitment != "" {
		r.SHA256 = e.Commitment
	}
	text, err := json.Marshal(&r)
	if err != nil {
		return nil, 0, fmt.Errorf("writing the journal: %w", err)
	}
	if size += len(text); size > MaxStored {
		return nil, 0, &EntryError{fmt.Sprintf("the journal's entry has %d bytes, and at most %d are allowed", size, MaxStored)}
	}
	return append(slices.Clip(link), text...), given, nil
}

// Parse decodes a stored entry, without the values of its groups.
func Parse(stored []byte) (Entry, error) { return decode(0, stored) }

// decode decodes a stored entry. Values of groups count only beside it. seq is only for the error.
func decode(seq uint64, v []byte) (e Entry, err error) {
	if len(v) < sha256.Size {
		return e, &DamagedError{Seq: seq, Detail: "is too short"}
	}
	var r leaf
	if err := json.Unmarshal(v[sha256.Size:], &r); err != nil {
		return e, &DamagedError{Seq: seq, Detail: "can't be read: " + err.Error()}
	}
	e = r.Entry
	e.clearGroups()
	e.Erased, e.Salted.Hashes = 0, [...]string{r.Who, r.What, r.Client}
	if isCommitment(e.SHA256) {
		e.Commitment, e.SHA256 = e.SHA256, ""
	}
	return e, nil
}

// get returns the entry with a number, without the values of its groups.
func get(tx kv.Reader, seq uint64) (Entry, error) {
	v := tx.Bucket(bucketName).Get(seqKey(seq))
	if v == nil {
		return Entry{}, &DamagedError{Seq: seq, Detail: "is missing"}
	}
	return decode(seq, v)
}
