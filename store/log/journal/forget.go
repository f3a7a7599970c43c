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
// entries, for which a snapshot will do, so that Forget need not in its unit of work.
func Named(r kv.Reader, in func(text string) bool, about func(seq uint64, e *Entry) bool) (seqs []uint64, err error) {
	for k, v := range kv.All(r.Bucket(bucketName)) {
		of, its, err := named(r, seqOf(k), v, in, about)
		if err != nil {
			return nil, err
		}
		if of != 0 || its {
			seqs = append(seqs, seqOf(k))
		}
	}
	return seqs, nil
}

// Forget erases what entries say of people: the groups with a value that in finds somebody in,
// and all groups but Who of the entries that about accepts. It erases the signatures of these
// entries too, because a signature's base has a digest of the body without a salt. It looks
// only at the entries in some, which are sorted (see Named), and at those after last, and returns the numbers of
// those that lose something.
func Forget(tx kv.Writer, some []uint64, last uint64, in func(text string) bool, about func(seq uint64, e *Entry) bool) (seqs []uint64, err error) {
	groups := map[uint64]Groups{}
	look := func(seq uint64, v []byte) error {
		of, its, err := named(tx, seq, v, in, about)
		if err == nil && (of != 0 || its) {
			groups[seq], seqs = of, append(seqs, seq)
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

// named returns the groups of a stored entry that Forget erases, and whether it erases the signature even if there are
// none: a body may be all that is left.
func named(r kv.Reader, seq uint64, stored []byte, in func(text string) bool, about func(seq uint64, e *Entry) bool) (of Groups, its bool, err error) {
	e, err := decode(seq, stored)
	if err == nil {
		err = e.addBeside(r, seq)
	}
	if err != nil {
		return 0, false, err
	}
	for g := Who; g <= What; g++ {
		for _, value := range e.values(g) {
			if in(*value) {
				of |= GroupsOf(g)
			}
		}
	}
	if its = about(seq, &e); its {
		of |= GroupsOf(What, Client, Content)
	}
	return of & e.has() &^ e.Erased, its && e.SignatureHash != "", nil
}
