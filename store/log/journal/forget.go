package journal

import (
	"context"
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

// IsName reports whether a text can be one of the names of somebody: it need not be an IRI, but see NamesPerson if it is one.
func IsName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, unicode.IsControl) && (!rdf.IsIRI(name) || NamesPerson(name))
}

// PersonOf returns the Entry.Person of an erasure, by the names of the person.
func PersonOf(salt Salt, iris []string) string {
	var all []string
	for _, iri := range iris {
		all = append(all, salt.Commit([]byte(iri)))
	}
	return strings.Join(all, ",")
}

// Named returns the numbers, ascending, of the entries after the one with the number after from which Forget, with the same
// functions, would erase something. It only reads, so a snapshot will do.
func Named(ctx context.Context, r kv.Reader, after uint64, says, names func(text string) bool, concerns func(seq uint64, e *Entry) bool) (seqs []uint64, err error) {
	for k, v := range kv.From(r.Bucket(bucketName), seqKey(after+1)) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		groups, signature, err := named(r, seqOf(k), v, says, names, concerns)
		if err != nil {
			return nil, err
		}
		if groups != 0 || signature {
			seqs = append(seqs, seqOf(k))
		}
	}
	return seqs, nil
}

// Forget erases what some entries say of people: each group that has a value for which says returns true; for a subject or
// a robot, names decides instead. Of an entry for which concerns returns true, it erases all groups but Who, and the signature, because its base
// has a digest of the body without a salt. It returns the numbers of those that lose something.
func Forget(tx kv.Writer, some []uint64, says, names func(text string) bool, concerns func(seq uint64, e *Entry) bool) (seqs []uint64, err error) {
	for _, seq := range some {
		groups, signature, err := named(tx, seq, tx.Bucket(bucketName).Get(seqKey(seq)), says, names, concerns)
		if err == nil && (groups != 0 || signature) {
			seqs = append(seqs, seq)
			if err = Erase(tx, seq, groups); err == nil {
				err = EraseSignature(tx, seq)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("erasing a person from the journal: %w", err)
		}
	}
	return seqs, nil
}

// named returns the groups of a stored entry that Forget erases, and whether it erases the signature: groups may be 0
// if only a signed body is left.
func named(r kv.Reader, seq uint64, stored []byte, says, names func(text string) bool, concerns func(seq uint64, e *Entry) bool) (groups Groups, signature bool, err error) {
	e, err := decode(seq, stored)
	if err == nil {
		err = e.addBeside(r, seq)
	}
	if err != nil {
		return 0, false, err
	}
	for g := Who; g <= What; g++ {
		for _, value := range e.values(g) {
			theirs := says
			if value == &e.Robot || value == &e.Subject && e.Action != Remark { // remarks may be about cases and sessions
				theirs = names
			}
			if theirs(*value) {
				groups |= GroupsOf(g)
			}
		}
	}
	signature = concerns(seq, &e)
	if signature {
		groups |= GroupsOf(What, Client, Content)
	}
	return groups & e.hashed() &^ e.Erased, signature && e.SignatureHash != "", nil
}
