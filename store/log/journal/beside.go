package journal

import (
	"bytes"
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
// the secret of the entry or the salts of these groups. Each has a checksum. A log has two,
// so that all logs can be erased at once and still say who sent them.
//
//	clearlogs  number -> the secret, Client and Content of a log
//	logids     log id, number -> the salts and values of Who and What of a log, or the secret
//	           and all groups of another entry; nothing if there are none
const clearLogsName = "clearlogs"

// place is where a record beside an entry is.
type place struct {
	bucket string
	key    []byte
	groups Groups // that it may have
}

// places returns the places of the records beside an entry. The first has its log id.
func (e *Entry) places(seq uint64) []place {
	id := append(idOf(e.LogID), seqKey(seq)...)
	if e.Action == Insert {
		return []place{{idsName, id, GroupsOf(Who, What)}, {clearLogsName, id[idSize:], GroupsOf(Client, Content)}}
	}
	return []place{{idsName, id, GroupsOf(Who, What, Client, Content)}}
}

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
// document's SHA-256, and what the answer to a retry needs.
func (e *Entry) texts(groups Groups) []text {
	all := make([]text, 0, 16)
	groups.all(func(g Group) {
		if g == Content {
			all = append(all, text{&e.SHA256, asHash}, text{&e.Retried, asText})
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
// it, and the secret, if it has one. ok is false if the record can't be decoded.
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
	known := groups>>groupCount == 0 // it has no other groups
	if known {
		readTexts(&r, e.texts(groups))
	}
	return groups, secret, known && !r.Failed() && r.Len() == 0
}

// putBeside stores the records beside an entry whose salts are set, with those groups that are given, and with them its log
// id. Only the last record has the secret: the one before outlives an erasure of all logs, and the erased salts can be
// derived from the secret.
func putBeside(tx kv.Writer, e *Entry, seq uint64, given Groups, secret Secret) error {
	places := e.places(seq)
	for i, p := range places {
		own := secret
		if i < len(places)-1 {
			own = Secret{}
		}
		if err := e.putPlace(tx, p, given&p.groups, own); err != nil {
			return fmt.Errorf("writing the journal: %w", err)
		}
	}
	return nil
}

// putPlace stores the record of some groups. Without groups, only a log id stays.
func (e *Entry) putPlace(tx kv.Writer, p place, groups Groups, secret Secret) error {
	switch {
	case groups != 0:
		v := e.appendBeside(make([]byte, 0, 128), groups, secret)
		return putRaw(tx, p.bucket, p.key, kv.SealInPlace(p.key, v))
	case p.bucket == idsName:
		return putRaw(tx, p.bucket, p.key, []byte{})
	}
	return remove(tx, p.bucket, p.key)
}

// readPlace reads a record into e. It returns what parseBeside does, or no groups if there is no record.
func (e *Entry) readPlace(tx kv.Reader, p place) (groups Groups, secret Secret, err error) {
	sealed := tx.Bucket(p.bucket).Get(p.key)
	if len(sealed) == 0 {
		return 0, secret, nil
	}
	v, err := kv.Unseal(p.key, sealed)
	groups, secret, ok := e.parseBeside(v)
	if err != nil || !ok || groups&^p.groups != 0 {
		err = &DamagedError{Seq: seqOf(p.key[len(p.key)-8:]), Detail: errors.Join(errors.New("the values beside it can't be read"), err).Error()}
	}
	return groups, secret, err
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
	for _, p := range e.places(seq) {
		if _, _, err := e.readPlace(tx, p); err != nil {
			return err
		}
	}
	e.Erased = e.hashed() &^ e.salted()
	return nil
}

// hashed returns the groups for which a stored entry has a hash.
func (e *Entry) hashed() (s Groups) {
	for g, h := range e.Salted.Hashes {
		if h != "" {
			s |= 1 << g
		}
	}
	if e.saltedContent() {
		s |= 1 << Content
	}
	return s
}

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
	for _, p := range e.places(seq) {
		if err := e.erase(tx, p, groups); err != nil {
			return fmt.Errorf("erasing entry %d of the journal: %w", seq, err)
		}
	}
	if !groups.Has(Content) {
		return nil
	}
	return remove(tx, e.signedBodies(), seqKey(seq))
}

// erase erases groups from the record in a place.
func (e *Entry) erase(tx kv.Writer, p place, groups Groups) error {
	x := Entry{Action: e.Action}
	in, secret, err := x.readPlace(tx, p)
	if err != nil || in == 0 {
		return err
	}
	left := in &^ groups
	// A secret must go even if all groups here stay: the salts of all groups, also of erased ones, follow from it.
	if left == in && secret == (Secret{}) {
		return nil
	}
	return x.putPlace(tx, p, left, Secret{})
}

// remove removes what lies beside an entry.
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

// eraseLogs empties a bucket of what logs have beside their entries, but for those that stay.
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
		if e.salted()&^e.hashed() != 0 {
			return &DamagedError{Seq: seqOf(k), Detail: "has values beside it that it does not commit to"}
		}
		if e.Action == Insert && tx.Bucket(clearLogsName).Get(k) != nil {
			found++
		}
	}
	all := 0
	for range kv.All(tx.Bucket(clearLogsName)) {
		all++
	}
	if all == found {
		return nil
	}
	for k := range kv.All(tx.Bucket(clearLogsName)) { // looks each up, to name one
		if e, err := get(tx, seqOf(k)); err != nil || e.Action != Insert {
			return &DamagedError{Seq: seqOf(k), Detail: "has values beside it and does not exist, or is another kind of entry"}
		}
	}
	return nil
}

// isCommitment reports whether a member sha256 is a result of Commit. That of a restored
// backup, in hexadecimal, is longer.
func isCommitment(sum string) bool { return len(sum) == base64.RawStdEncoding.EncodedLen(sha256.Size) }
