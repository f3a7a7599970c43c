package explore

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/segraph/segraph/vocabulary"
)

// precedence returns the place of a cause among the causes of one effect. The smallest is told first:
//
//   - 0: an emotion that a robot read in somebody, if the effect is no emotion itself. A robot
//     comforts Maria because she is sad, not because she asked.
//   - 1: what somebody said, decided or answered. Maria is sad because of what a robot told
//     her, not because of her own words, in which a robot noticed it.
//   - 2: what a person said, if the effect is that person's emotion.
//   - 3: another activity, such as a robot that sees somebody come.
//   - 4: what is no activity.
//   - 5 more if the effect only follows the cause, which did not trigger or inform it, and was not used.
//
// Causes with the same place are told by their predicate, in the order of relations, the
// newest first.
func (t *teller) precedence(l *whyLink) int {
	effect, cause := t.act(l.effect), t.act(l.cause)
	place := 4
	switch words := t.spoken(cause); {
	case t.feels(cause) && !t.feels(effect):
		place = 0
	case words != nil && t.feels(effect) && t.feltBy(effect, words.sender()):
		place = 2
	case words != nil || cause.acts():
		place = 1
	case cause.isActivity():
		place = 3
	}
	if l.iri == vocabulary.ProvWasDerivedFrom || l.iri == vocabulary.ProvWasInfluencedBy {
		place += 5
	}
	return place
}

// withMade returns a node and what it made.
func (y *why) withMade(n *graphNode) []*graphNode { return append([]*graphNode{n}, y.makes(n)...) }

// spoken returns the message that an activity made, or that a node is, or nil.
func (y *why) spoken(n *graphNode) *graphNode {
	for _, m := range y.withMade(n) {
		if m.isMessage() {
			return m
		}
	}
	return nil
}

// feels reports whether a node is an emotion, or recognized one.
func (y *why) feels(n *graphNode) bool {
	return slices.ContainsFunc(y.withMade(n), func(m *graphNode) bool { return len(y.feelings[m.iri]) > 0 })
}

// feltBy reports whether an emotion, or one of those that an activity recognized, is that of
// a person.
func (y *why) feltBy(n *graphNode, who string) bool {
	return slices.ContainsFunc(y.withMade(n), func(m *graphNode) bool { return slices.Contains(m.objects(vocabulary.OAHasTarget), who) })
}

// headOf returns the heading above the direct cause of an emotion that a robot recognized, or
// "" if it is that of the cause before, t.head, which it sets. One heading is for what others said or did
// before, the other for the words and the picture in which the robot noticed the emotion.
func (t *teller) headOf(l *whyLink) string {
	effect := t.act(l.effect)
	if !t.feels(effect) || effect != t.act(t.start) {
		return ""
	}
	cause, head := t.act(l.cause), "Why "+cmp.Or(t.doer(effect), "the robot")+" recognized it"
	if words := t.spoken(cause); cause.acts() || words != nil && !t.feltBy(effect, words.sender()) {
		head = "What came before it"
	}
	if head == t.head {
		return ""
	}
	t.head = head
	return head
}

// sameLog reports whether two links lead to one log.
func sameLog(a, b *WhyLog) bool {
	return b != nil && a.ID == b.ID && (a.ID != "" || a.All == b.All)
}

// implied are the beginnings of words in a label that only repeat what kind of activity a
// sentence tells.
var implied = []string{"hear", "answer", "reply", "replies", "says", "said", "read", "recogn", "detect", "sees", "notice", "face", "emotion", "listen", "speak", "respon", "from", "with", "into", "somebody"}

// saysMore reports whether a label has a word that a sentence lacks. Short words and those that
// only repeat the kind of activity do not count.
func saysMore(label, sentence string) bool {
	sentence = strings.ToLower(sentence)
	for _, word := range strings.FieldsFunc(strings.ToLower(label), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
		if utf8.RuneCountInString(word) > 3 && !strings.Contains(sentence, word) && !slices.ContainsFunc(implied, func(w string) bool { return strings.HasPrefix(word, w) }) {
			return true
		}
	}
	return false
}
