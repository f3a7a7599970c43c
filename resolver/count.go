package resolver

import (
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/text"
)

// countContext counts a new context with one member among those of its kind: itself, its subject, its place and, with
// withText, its text. What is frequent is weak evidence. Counts are halved now and then, so that old ones fade.
func (u *unit) countContext(added *shared, member record.Member, withText bool) error {
	kind, err := u.kind(added.kindHash)
	if err != nil {
		return err
	}
	kind.Name = added.Kind
	if kind.Made++; kind.Made%record.Epoch == 0 {
		kind.Contexts /= 2
		kind.Subjects /= 2
		kind.Places /= 2
	}
	kind.Contexts++
	u.kindOf, u.kindHash = &kind, added.kindHash // the unit stores them
	if !u.known.isNobody(member) {
		kind.Subjects++
		of := text.Fingerprint(member.Subject)
		if err := u.countOne(ofSubject, kind, frequencyName{added.kindHash, of}); err != nil {
			return err
		}
	}
	if member.Location != "" {
		kind.Places++
		of := text.Fingerprint(member.Location)
		if err := u.countOne(ofPlace, kind, frequencyName{added.kindHash, of}); err != nil {
			return err
		}
	}
	if !withText {
		return nil
	}
	return u.countText(added, member, kind)
}

// countVariant counts a further text of a context.
func (u *unit) countVariant(x *shared, m record.Member) error {
	kind, err := u.kind(x.kindHash)
	if err != nil || hasText(x.texts, m.Text) {
		return err
	}
	return u.countText(x, m, kind)
}

func (u *unit) countText(x *shared, m record.Member, kind record.Kind) error {
	if m.Text == "" {
		return nil
	}
	of := text.Fingerprint(m.Text)
	return u.countOne(ofText, kind, frequencyName{x.kindHash, of})
}

// countOne counts one more context of a kind with a value.
func (u *unit) countOne(of frequencyKind, kind record.Kind, name frequencyName) error {
	f, err := u.frequency(of, name)
	if err != nil {
		return err
	}
	u.setFrequency(of, name, record.Frequency{Epoch: epoch(kind), Count: f.Now(epoch(kind)) + 1})
	return nil
}

// frequencyName is the hash of a kind and the fingerprint of a text, a subject or a place.
type frequencyName struct{ kind, of uint64 }

// frequencyKind is the attribute that a frequency counts.
type frequencyKind uint8

const (
	ofText frequencyKind = iota
	ofSubject
	ofPlace
	frequencyKinds
)

func (of frequencyKind) key(h *record.Hasher, name frequencyName) []byte {
	switch of {
	case ofText:
		return h.TextKey(name.kind, name.of)
	case ofSubject:
		return h.SubjectKey(name.kind, name.of)
	}
	return h.PlaceKey(name.kind, name.of)
}
