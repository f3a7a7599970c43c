package engine

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/vocabulary"
	"github.com/segraph/segraph/store/turtle"
)

// Limits of what is remembered of the prefixes that documents declare. What is beyond
// is written out in full, which is no loss.
const (
	maxPrefixes  = 1000
	maxNamespace = 1024 // bytes
	maxLabel     = 64   // bytes
)

// addPrefixes remembers namespaces that were not published before.
func (tx *Tx) addPrefixes(prefixes []turtle.Prefix) error {
	if len(prefixes) == 0 {
		return nil
	}
	b, err := tx.bolt.CreateBucketIfNotExists(prefixesName)
	if err != nil {
		return fmt.Errorf("opening the prefixes: %w", err)
	}
	for _, p := range prefixes {
		key := []byte(p.Namespace)
		if len(key) == 0 || len(key) > maxNamespace || len(p.Label) > maxLabel || b.Get(key) != nil || b.Sequence() >= maxPrefixes {
			continue
		}
		n, err := b.NextSequence()
		if err == nil {
			err = b.Put(key, append(binary.BigEndian.AppendUint64(nil, n), p.Label...))
		}
		if err != nil {
			return fmt.Errorf("writing the prefixes: %w", err)
		}
		tx.changed = true
	}
	return nil
}

// forgetPrefixes removes all of them.
func (tx *Tx) forgetPrefixes() error {
	b := tx.bolt.Bucket(prefixesName)
	if b == nil {
		return nil
	}
	if k, _ := b.Cursor().First(); k == nil {
		return nil
	}
	tx.changed = true
	if err := tx.bolt.DeleteBucket(prefixesName); err != nil {
		return fmt.Errorf("removing the prefixes: %w", err)
	}
	return nil
}

// published is a prefix and when it was first seen.
type published struct {
	turtle.Prefix
	order uint64
}

// readPrefixes gives the published namespaces under labels that are each used once, sorted by label: a
// namespace's usual label where it has one, else the published one, with a number
// behind it where that is taken.
func readPrefixes(tx *bolt.Tx) ([]turtle.Prefix, error) {
	b := tx.Bucket(prefixesName)
	if b == nil {
		return nil, nil
	}
	var all []published
	err := b.ForEach(func(k, v []byte) error {
		if len(v) >= 8 {
			all = append(all, published{turtle.Prefix{Label: string(v[8:]), Namespace: string(k)}, binary.BigEndian.Uint64(v)})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading the prefixes: %w", err)
	}
	slices.SortFunc(all, func(a, b published) int { return cmp.Compare(a.order, b.order) })
	usual := map[string]string{}
	for _, p := range vocabulary.Prefixes() {
		usual[p.Namespace] = p.Label
	}
	taken := map[string]bool{}
	var out []turtle.Prefix
	for _, p := range all {
		if label, ok := usual[p.Namespace]; ok {
			taken[label] = true
			out = append(out, turtle.Prefix{Label: label, Namespace: p.Namespace})
		}
	}
	for _, p := range all {
		if _, ok := usual[p.Namespace]; ok {
			continue
		}
		label := p.Label
		for n := 2; taken[label]; n++ {
			label = fmt.Sprintf("%s%d", p.Label, n)
			if p.Label == "" {
				label = fmt.Sprintf("ns%d", n)
			}
		}
		taken[label] = true
		out = append(out, turtle.Prefix{Label: label, Namespace: p.Namespace})
	}
	slices.SortFunc(out, func(a, b turtle.Prefix) int { return cmp.Compare(a.Label, b.Label) })
	return out, nil
}

// Prefixes gives the published namespaces sorted by label, each under a label that is used once.
func (s *Store) Prefixes() (list []turtle.Prefix, err error) {
	err = s.View(func(snap *Snapshot) error {
		list, err = readPrefixes(snap.bolt)
		return err
	})
	return list, err
}
