package resolver

import (
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/text"
)

// countContext adds a new context to the counts of its kind: itself, its subject, its place and, where
// withText is set, its text.
func (d *draft) countContext(x *shared, m record.Member, withText bool) error {
	kind, err := d.Resolver.kind(x.hash)
	if err != nil {
		return err
	}
	kind.Name = x.Kind
	if kind.Made++; kind.Made%record.Epoch == 0 {
		kind.Contexts /= 2
		kind.Subjects /= 2
		kind.Places /= 2
	}
	kind.Contexts++
	d.kindOf, d.kindHash = &kind, x.hash
	if !d.isNobody(m) {
		kind.Subjects++
		of := text.Fingerprint(m.Subject)
		if err := d.countOne(&d.subjects, kind, frequencyName{x.hash, of}, record.SubjectKey(x.hash, of)); err != nil {
			return err
		}
	}
	if m.Location != "" {
		kind.Places++
		of := text.Fingerprint(m.Location)
		if err := d.countOne(&d.places, kind, frequencyName{x.hash, of}, record.PlaceKey(x.hash, of)); err != nil {
			return err
		}
	}
	if !withText {
		return nil
	}
	return d.countText(x, m, kind)
}

// countVariant adds to the counts a text that a context has got beside others.
func (d *draft) countVariant(x *shared, m record.Member) error {
	kind, err := d.Resolver.kind(x.hash)
	if err != nil || hasText(x.texts, m.Text) {
		return err
	}
	return d.countText(x, m, kind)
}

func (d *draft) countText(x *shared, m record.Member, kind record.Kind) error {
	if m.Text == "" {
		return nil
	}
	of := text.Fingerprint(m.Text)
	return d.countOne(&d.texts, kind, frequencyName{x.hash, of}, record.TextKey(x.hash, of))
}

func (d *draft) countOne(c *cache[frequencyName, record.Frequency], kind record.Kind, name frequencyName, key []byte) error {
	f, err := read(d.Resolver, c, name, record.Frequency{}, func() []byte { return key })
	if err != nil {
		return err
	}
	f = record.Frequency{Epoch: epoch(kind), Count: f.Now(epoch(kind)) + 1}
	d.counts = append(d.counts, counted{c, key, name, f})
	return nil
}
