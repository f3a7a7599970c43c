package journal

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/rdf"
)

// NamesPerson reports whether an IRI can name somebody: it has more than a scheme and slashes, which would name
// everybody, and no control characters.
func NamesPerson(iri string) bool {
	_, rest, _ := strings.Cut(iri, ":")
	return rdf.IsIRI(iri) && strings.Trim(rest, "/?#") != "" && !strings.ContainsFunc(iri, unicode.IsControl)
}

// PersonOf returns the Entry.Person of an erasure, by the names of the person.
func PersonOf(salt Salt, iris []string) string {
	var all []string
	for _, iri := range iris {
		all = append(all, salt.Commit([]byte(iri)))
	}
	return strings.Join(all, ",")
}

// Named returns the numbers of the entries from which Forget would erase something, in ascending order. It reads all
// entries of a snapshot, so that Forget need not in its unit of work.
func Named(r kv.Reader, mentions func(text string) bool, concerns func(seq uint64, e *Entry) bool) (seqs []uint64, err error) {
	for k, v := range kv.All(r.Bucket(bucketName)) {
		groups, signature, err := named(r, seqOf(k), v, mentions, concerns)
		if err != nil {
			return nil, err
		}
		if groups != 0 || signature {
			seqs = append(seqs, seqOf(k))
		}
	}
	return seqs, nil
}

// Forget erases what entries say of people: each group with a value for which mentions returns true, and, of entries
// for which concerns does, all groups but Who, and the signature, whose base has a digest of the body without a salt.
// It looks only at the entries in some, which are sorted (see Named), and at those after last, and returns the
// numbers of those that lose something.
func Forget(tx kv.Writer, some []uint64, last uint64, mentions func(text string) bool, concerns func(seq uint64, e *Entry) bool) (seqs []uint64, err error) {
	groups := map[uint64]Groups{}
	look := func(seq uint64, v []byte) error {
		gone, signature, err := named(tx, seq, v, mentions, concerns)
		if err == nil && (gone != 0 || signature) {
			groups[seq], seqs = gone, append(seqs, seq)
		}
		return err
	}
	all := tx.Bucket(bucketName)
	for _, seq := range some {
		if seq <= last {
			if err := look(seq, all.Get(seqKey(seq))); err != nil {
				return nil, err
			}
		}
	}
	for k, v := range kv.From(all, seqKey(last+1)) {
		if err := look(seqOf(k), v); err != nil {
			return nil, err
		}
	}
	for _, seq := range seqs {
		if err = Erase(tx, seq, groups[seq]); err == nil {
			err = EraseSignature(tx, seq)
		}
		if err != nil {
			return nil, fmt.Errorf("erasing a person from the journal: %w", err)
		}
	}
	return seqs, nil
}

// named returns the groups of a stored entry that Forget erases, and whether it erases the signature: groups may be 0
// if only a signed body is left.
func named(r kv.Reader, seq uint64, stored []byte, mentions func(text string) bool, concerns func(seq uint64, e *Entry) bool) (groups Groups, signature bool, err error) {
	e, err := decode(seq, stored)
	if err == nil {
		err = e.addBeside(r, seq)
	}
	if err != nil {
		return 0, false, err
	}
	for g := Who; g <= What; g++ {
		for _, value := range e.values(g) {
			if mentions(*value) {
				groups |= GroupsOf(g)
			}
		}
	}
	if signature = concerns(seq, &e); signature {
		groups |= GroupsOf(What, Client, Content)
	}
	return groups & e.hashed() &^ e.Erased, signature && e.SignatureHash != "", nil
}
