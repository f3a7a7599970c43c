package resolver

import (
	"cmp"
	"fmt"

	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/store/rdf"
)

// Quads calls yield once with every quad of the mirror of a store's records. It returns
// the first error. The store must not change meanwhile.
func Quads(store Store, yield func(rdf.Quad) error) error {
	c := readOnly(store)
	totals, err := fetch[record.Totals](c, record.TotalsKey())
	if err != nil || totals == nil {
		return err
	}
	all := func(quads []rdf.Quad) error {
		for _, q := range quads {
			if err := yield(q); err != nil {
				return err
			}
		}
		return nil
	}
	if totals.Stored > 0 {
		if err := all(mirror.Schema()); err != nil {
			return err
		}
	}
	said := map[rdf.Term]bool{}
	series, err := c.storedSeries()
	if err != nil {
		return err
	}
	var failed error
	names := namesOf(totals, record.NewHasher(totals.Secret), series, c.context, &failed)
	names.Said = func(node rdf.Term) bool {
		before := said[node]
		said[node] = true
		return before
	}
	return each(store, []byte{0}, nil, func(key, value []byte) error {
		quads, err := quadsOf(names, key[0], value)
		if err = cmp.Or(err, failed); err != nil {
			return err
		}
		return all(quads)
	})
}

// namesOf returns the names of mirrored records. A context that can't be read has none,
// and its error is stored in failed.
func namesOf(t *record.Totals, hasher *record.Hasher, series []record.Series, context func(number uint64) (*shared, error), failed *error) mirror.Names {
	return mirror.Names{Hasher: hasher, Series: series, Unpublished: t.Unpublished, Context: func(number uint64) string {
		x, err := context(number)
		if err != nil {
			*failed = err
			return ""
		}
		return x.URI
	}}
}

// each calls do with the records of a store whose keys are in a range, in order. It reads them in batches, so do may
// read the store.
func each(store Store, from, to []byte, do func(key, value []byte) error) error {
	const batch = 1000
	for {
		var read []Record
		err := store.Scan(from, to, func(key, value []byte) bool {
			read = append(read, Record{append([]byte(nil), key...), append([]byte(nil), value...)})
			return len(read) < batch
		})
		if err != nil {
			return err
		}
		for _, x := range read {
			if err := do(x.Key, x.Value); err != nil {
				return fmt.Errorf("record %x: %w", x.Key, err)
			}
		}
		if len(read) < batch {
			return nil
		}
		from = append(read[batch-1].Key, 0) // the next possible key
	}
}

// quadsOf returns the quads of a record, or none if the record is not mirrored.
func quadsOf(names mirror.Names, letter byte, value []byte) ([]rdf.Quad, error) {
	switch letter {
	case record.ContextKey(0)[0]:
		return decoded(value, names.OfContext)
	case record.ObservationKey(0, 0)[0]:
		return decoded(value, names.OfObservation)
	case record.CaseKey(0)[0]:
		return decoded(value, names.OfCase)
	case record.DecisionKey(0)[0]:
		return decoded(value, names.OfDecision)
	case record.ClockLetter:
		return decoded(value, names.OfClock)
	case record.AliasLetter:
		return decoded(value, names.OfAlias)
	case record.WatchedLetter:
		return decoded(value, names.OfSubject)
	case record.PersonLetter:
		return decoded(value, names.OfPerson)
	case record.RelayLetter:
		return decoded(value, names.OfRelay)
	}
	return nil, nil
}

// decoded returns the quads of an encoded record.
func decoded[T any, P interface {
	*T
	record.Coded
}](value []byte, quads func(P) []rdf.Quad) ([]rdf.Quad, error) {
	x, err := record.Decode[T, P](value)
	if err != nil {
		return nil, err
	}
	return quads(x), nil
}
