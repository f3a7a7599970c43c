package engine

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/turtle"
)

// Limits on the stored prefixes of documents. IRIs in other namespaces are written in
// full.
const (
	maxPrefixes  = 1000
	maxNamespace = 1024 // bytes
	maxLabel     = 64   // bytes
)

// AddPrefixes stores the prefixes of namespaces that have none yet, within the limits.
func (tx *Tx) AddPrefixes(prefixes []turtle.Prefix) error {
	if len(prefixes) == 0 {
		return nil
	}
	b, err := tx.KV().Writable(string(prefixesName))
	if err != nil {
		return fmt.Errorf("opening the prefixes: %w", err)
	}
	for _, p := range prefixes {
		key := []byte(p.Namespace)
		if !p.Declarable() || len(key) > maxNamespace || len(p.Label) > maxLabel || b.Get(key) != nil || b.Sequence() >= maxPrefixes {
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

// ForgetPrefixes removes the prefixes of the namespaces for which of returns true.
func (tx *Tx) ForgetPrefixes(of func(namespace string) bool) error {
	b, err := tx.KV().Writable(string(prefixesName))
	if err != nil {
		return fmt.Errorf("opening the prefixes: %w", err)
	}
	var gone [][]byte
	for k := range kv.All(b) {
		if of(string(k)) {
			gone = append(gone, bytes.Clone(k))
		}
	}
	for _, k := range gone {
		tx.changed = true
		if err := b.Delete(k); err != nil {
			return err
		}
	}
	return nil
}

func (tx *Tx) clearPrefixes() error {
	if k, _ := tx.KV().Bucket(string(prefixesName)).Cursor().First(); k == nil {
		return nil
	}
	tx.changed = true
	return tx.KV().Remove(string(prefixesName))
}

// published is a prefix with its order of publication.
type published struct {
	turtle.Prefix
	order uint64
}

// Prefixes returns the published namespaces with unique labels, sorted by label. A
// namespace in Options.Labels gets the label from there. Any other gets its published
// label, with a number appended if that is taken.
func (s *Snapshot) Prefixes() ([]turtle.Prefix, error) {
	var all []published
	for k, v := range kv.All(s.KV().Bucket(string(prefixesName))) {
		if len(v) >= 8 {
			all = append(all, published{turtle.Prefix{Label: string(v[8:]), Namespace: string(k)}, binary.BigEndian.Uint64(v)})
		}
	}
	slices.SortFunc(all, func(a, b published) int { return cmp.Compare(a.order, b.order) })
	taken, next := map[string]bool{}, map[string]int{} // the number to try next for a label
	var out []turtle.Prefix
	for _, p := range all {
		if label, ok := s.labels[p.Namespace]; ok {
			taken[label] = true
			out = append(out, turtle.Prefix{Label: label, Namespace: p.Namespace})
		}
	}
	for _, p := range all {
		if _, ok := s.labels[p.Namespace]; ok {
			continue
		}
		label := p.Label
		for n := max(2, next[p.Label]); taken[label]; n++ {
			label, next[p.Label] = fmt.Sprintf("%s%d", cmp.Or(p.Label, "ns"), n), n+1
		}
		taken[label] = true
		out = append(out, turtle.Prefix{Label: label, Namespace: p.Namespace})
	}
	slices.SortFunc(out, func(a, b turtle.Prefix) int { return cmp.Compare(a.Label, b.Label) })
	return out, nil
}

// Prefixes is like Snapshot.Prefixes, for the current state.
func (s *Store) Prefixes() ([]turtle.Prefix, error) {
	return Read(s, (*Snapshot).Prefixes)
}
