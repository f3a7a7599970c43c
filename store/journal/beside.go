package journal

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/segraph/segraph/internal/varint"
	"github.com/segraph/segraph/store/engine/kv"
)

// Beside an entry are records of its groups that were not erased: the values, and either
// the secret of the entry or the salts of these groups. A log has two, so that all logs
// can be erased at once and still say who sent them.
//
//	clearlogs    number -> the secret, Client and Content of a log, and a checksum
//	wholog       number -> the salts and values of Who and What of a log, and a checksum
//	clearothers  number -> the secret and all groups of another entry, and a checksum
const (
	clearLogsName   = "clearlogs"
	whoLogsName     = "whologs"
	clearOthersName = "clearothers"
)

// besideNames returns the buckets of the records beside an entry, and which groups they
// hold.
func (e *Entry) besideNames() map[string]Groups {
	if e.Action == Insert {
		return logGroups
	}
	return otherGroups
}

var (
	logGroups   = map[string]Groups{clearLogsName: GroupsOf(Client, Content), whoLogsName: GroupsOf(Who, What)}
	otherGroups = map[string]Groups{clearOthersName: GroupsOf(Who, What, Client, Content)}
)

// A record beside an entry begins with a byte: the groups in it, and hasSecret. Then
// come the secret or the salts, and the values (short.go).
const hasSecret = 0x80

// appendBeside appends a record of some groups of an entry.
func (e *Entry) appendBeside(b []byte, groups Groups, secret Secret) []byte {
	if secret != (Secret{}) {
		b = append(append(b, byte(groups)|hasSecret), secret[:]...)
	} else {
		b = append(b, byte(groups))
		groups.all(func(g Group) { b = append(b, e.Salted.Salts[g][:]...) })
	}
	return appendTexts(b, e.texts(groups))
}

// texts returns the values of some groups, as they are stored. Content has the
// document's SHA-256.
func (e *Entry) texts(groups Groups) []text {
	all := make([]text, 0, 15)
	groups.all(func(g Group) {
		if g == Content {
			all = append(all, text{&e.SHA256, asHash})
		}
		for i, v := range e.values(g) {
			usual := asText
			if g == Client {
				usual = [...]form{asAddress, asUUID}[i]
			}
			all = append(all, text{v, usual})
		}
	})
	return all
}

// parseBeside reads a record into e: the salts, and the values. It returns the groups in
// it, and the secret, if it has one.
func (e *Entry) parseBeside(v []byte) (groups Groups, secret Secret, ok bool) {
	r := varint.NewReader(v)
	head := r.Byte()
	groups = Groups(head &^ hasSecret)
	if head&hasSecret != 0 {
		copy(secret[:], r.Bytes(len(secret)))
		groups.all(func(g Group) { e.Salted.Salts[g] = secret.Salt(g) })
	} else {
		groups.all(func(g Group) { copy(e.Salted.Salts[g][:], r.Bytes(len(Salt{}))) })
	}
	if groups>>groupCount == 0 {
		readTexts(&r, e.texts(groups))
	}
	return groups, secret, groups>>groupCount == 0 && !r.Failed() && r.Len() == 0
}

// putBeside stores the records beside an entry whose salts are set.
func putBeside(tx kv.Writer, e *Entry, seq uint64, given Groups, secret Secret) error {
	key := seqKey(seq)
	for name, groups := range e.besideNames() {
		groups, of := groups&given, secret
		if name == whoLogsName {
			of = Secret{} // it stays when the log is erased
		}
		if groups == 0 {
			continue
		}
		v := e.appendBeside(make([]byte, 0, 128), groups, of)
		if err := putRaw(tx, name, key, kv.SealInPlace(key, v)); err != nil {
			return fmt.Errorf("writing the journal: %w", err)
		}
	}
	return nil
}

// putRaw stores a sealed value.
func putRaw(tx kv.Writer, name string, key, sealed []byte) error {
	b, err := tx.Writable(name)
	if err != nil {
		return err
	}
	return b.Put(key, sealed)
}

// addBeside adds the records beside a decoded entry, and says what was erased.
func (e *Entry) addBeside(tx kv.Reader, seq uint64) error {
	key := seqKey(seq)
	for name, allowed := range e.besideNames() {
		v, err := unsealed(tx, name, key)
		if err == nil && v == nil {
			continue
		}
		groups, _, ok := e.parseBeside(v)
		if err != nil || !ok || groups&^allowed != 0 {
			return &DamagedError{Seq: seq, Detail: errors.Join(errors.New("the values beside it can't be read"), err).Error()}
		}
	}
	e.Erased = e.has() &^ e.salted()
	return nil
}

// has returns the groups of a stored entry.
func (e *Entry) has() (s Groups) {
	for g, h := range e.Salted.Hashes {
		if h != "" {
			s |= 1 << g
		}
	}
	if e.Commitment != "" {
		s |= 1 << Content
	}
	return s
}

// salted returns the groups with a salt.
func (e *Entry) salted() (s Groups) {
	for g, salt := range e.Salted.Salts {
		if salt != (Salt{}) {
			s |= 1 << g
		}
	}
	return s
}

// Erase erases groups of an entry: their values and salts. With Content it also erases
// the body of a signed request; the signature stays, see EraseSignature. Secrets from
// which an erased salt could be derived are replaced by the salts that stay. A withdrawal
// erases Client and Content.
func Erase(tx kv.Writer, seq uint64, groups Groups) error {
	e, err := get(tx, seq)
	if err != nil {
		return err
	}
	for name := range e.besideNames() {
		if err := e.erase(tx, name, seqKey(seq), groups); err != nil {
			return fmt.Errorf("erasing entry %d of the journal: %w", seq, err)
		}
	}
	if !groups.Has(Content) {
		return nil
	}
	return remove(tx, e.signedBodies(), seqKey(seq))
}

// erase erases groups from the record in a bucket.
func (e *Entry) erase(tx kv.Writer, name string, key []byte, groups Groups) error {
	v, err := unsealed(tx, name, key)
	if err != nil || v == nil {
		return err
	}
	x := Entry{Action: e.Action}
	in, secret, ok := x.parseBeside(v)
	if !ok {
		return &DamagedError{Seq: seqOf(key), Detail: "the values beside it can't be read"}
	}
	left := in &^ groups
	switch {
	case left == 0:
		return remove(tx, name, key)
	case left == in && secret == (Secret{}):
		return nil
	}
	return putRaw(tx, name, key, kv.SealInPlace(key, x.appendBeside(nil, left, Secret{})))
}

func remove(tx kv.Writer, name string, key []byte) error {
	b, err := tx.Writable(name)
	if err == nil {
		err = b.Delete(key)
	}
	if err != nil {
		return fmt.Errorf("erasing from the journal: %w", err)
	}
	return nil
}

// EraseLogs erases Client and Content of the entries of all logs, except those in stay.
func EraseLogs(tx kv.Writer, stay []uint64) error {
	for _, bucket := range []string{clearLogsName, signedLogsName} {
		if err := eraseLogs(tx, bucket, stay); err != nil {
			return fmt.Errorf("erasing the logs from the journal: %w", err)
		}
	}
	return nil
}

func eraseLogs(tx kv.Writer, bucket string, stay []uint64) error {
	kept := map[uint64][]byte{}
	for _, seq := range stay {
		if v := tx.Bucket(bucket).Get(seqKey(seq)); v != nil {
			kept[seq] = bytes.Clone(v)
		}
	}
	if err := tx.Remove(bucket); err != nil {
		return err
	}
	for _, seq := range slices.Sorted(maps.Keys(kept)) {
		if err := putRaw(tx, bucket, seqKey(seq), kept[seq]); err != nil {
			return err
		}
	}
	return nil
}

// RestoreErased copies Client and Content of a log's entry from a backup. What was erased
// of Who and What stays erased.
func RestoreErased(tx kv.Writer, old kv.Reader, seq uint64) error {
	key := seqKey(seq)
	if err := cmp.Or(regain(tx, old, clearLogsName, key), regain(tx, old, signedLogsName, key)); err != nil {
		return err
	}
	e, err := Get(tx, seq)
	if err != nil || e.Erased&GroupsOf(Who, What) == 0 {
		return err
	}
	return Erase(tx, seq, e.Erased&GroupsOf(Who, What))
}

// CheckBeside verifies that the values beside each entry have the hashes in the entry.
func CheckBeside(tx kv.Reader) error {
	found := 0
	for k, v := range kv.All(tx.Bucket(bucketName)) {
		e, err := decode(seqOf(k), v)
		if err == nil {
			err = e.addBeside(tx, seqOf(k))
		}
		if err != nil {
			return err
		}
		for g := Who; g <= Client; g++ {
			salt, has := e.Salted.Salt(g)
			if has && salt.hashOf(e.values(g)) != e.Salted.Hashes[g] {
				return &DamagedError{Seq: seqOf(k), Detail: fmt.Sprintf("its %s beside it does not have the hash in it", g)}
			}
		}
		if e.salted()&^e.has() != 0 {
			return &DamagedError{Seq: seqOf(k), Detail: "has values beside it that it does not commit to"}
		}
		for name := range e.besideNames() {
			if tx.Bucket(name).Get(k) != nil {
				found++
			}
		}
	}
	for _, name := range []string{clearLogsName, whoLogsName, clearOthersName} {
		for k := range kv.All(tx.Bucket(name)) {
			if found--; found < 0 || len(k) != 8 {
				return &DamagedError{Seq: seqOf(k), Detail: "has values beside it and does not exist, or is another kind of entry"}
			}
		}
	}
	return nil
}

// isCommitment reports whether a member sha256 is a result of Commit. That of a restored
// backup, in hexadecimal, is longer.
func isCommitment(sum string) bool { return len(sum) == base64.RawStdEncoding.EncodedLen(sha256.Size) }
