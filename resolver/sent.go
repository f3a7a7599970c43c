package resolver

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
)

// sent returns the text of an observation to which the journal's entry commits: JSON that
// Observation.UnmarshalJSON reads. It has no time window, which the record does not keep: whoever resolves it again
// takes its own.
func sent(o *record.Observation) []byte {
	text, err := json.Marshal(Observation{EventKind: o.Kind, ObservedAt: o.ObservedAt, SubjectURI: o.Subject, Modality: o.Modality, Text: o.Text,
		ObservationURI: o.URI, RobotURI: o.Robot, LocationURI: o.Location, ReceivedAt: time.UnixMicro(o.Received).UTC().Format(time.RFC3339Nano)})
	if err != nil {
		panic(err) // it has only texts and a number
	}
	return text
}

// Sent returns the text of the observation that a journal entry is about, and the salt with which the entry
// commits to it. e.Decision names the decision that resolved it. The text is nil if the store does not have it, as
// after somebody was erased from it.
func Sent(store Store, e *journal.Entry) (text []byte, salt journal.Salt, err error) {
	o, err := placedBy(store, e.Decision)
	if o == nil || err != nil || o.Salt == (record.Salt{}) {
		return nil, salt, err
	}
	if text, salt = sent(o), journal.Salt(o.Salt); salt.Commit(text) != e.Commitment {
		return nil, salt, nil // numbers repeat after a backup was restored
	}
	return text, salt, nil
}

// Placed looks up the observation that a decision placed first. It returns the observation's timestamp and the IRIs that it
// names; some of these may be "". If the store does not have the observation, it returns the zero time and nil.
func Placed(store Store, decision string) (at time.Time, iris []string, err error) {
	o, err := placedBy(store, decision)
	if o == nil || err != nil {
		return at, nil, err
	}
	return time.UnixMicro(o.At).UTC(), namedBy(o), nil
}

// namedBy returns the IRIs that an observation names. An IRI that it does not have is "".
func namedBy(o *record.Observation) []string {
	return append([]string{o.Subject, o.URI, o.Robot, o.Location}, o.Aliases()...)
}

// placedBy returns the observation that a decision placed first, or nil.
func placedBy(store Store, decision string) (*record.Observation, error) {
	d, err := load[record.Decision](store, record.DecisionKey(mirror.Number(decision)))
	if d == nil || err != nil {
		return nil, err
	}
	at := d.Source
	if d.Kind == record.Match {
		at = d.Target
		if d.Undone != 0 { // the observation has moved to a context of its own
			undoing, err := load[record.Decision](store, record.DecisionKey(d.Undone))
			if undoing == nil || err != nil {
				return nil, err
			}
			at = undoing.Source
		}
	}
	return load[record.Observation](store, record.ObservationKey(at, d.Observation))
}

// setAliases stores where the aliases of an observation lead, once the observation has its context. The next
// decision records it.
func (u *unit) setAliases(o *record.Observation) error {
	for _, uri := range o.Aliases() {
		key := record.AliasKey(uri)
		a, err := recordOf[record.Alias](u, key)
		if err != nil {
			return err
		}
		if a != nil && a.Observation != o.Number {
			continue
		}
		var before []rdf.Quad
		if a != nil {
			before = u.names().OfAlias(a)
		} else {
			u.totals.Aliases++
		}
		a = &record.Alias{URI: uri, Context: o.Context, Observation: o.Number, Decision: o.Decision}
		u.put(key, record.Encode(a))
		less, more := mirror.Difference(before, u.names().OfAlias(a))
		u.remove, u.add = append(u.remove, less...), append(u.add, more...)
	}
	return nil
}

// maxAliases is how many aliases of an observation are kept.
const maxAliases = 16

// addAlias adds an alias to the observation with a key in a context, unless the alias is known.
func (u *unit) addAlias(origin uint64, of record.Hash, uri string) error {
	a, err := recordOf[record.Alias](u, record.AliasKey(uri))
	if err != nil || a != nil {
		return err
	}
	var first *record.Observation
	from, to := record.ObservationRange(origin)
	if err := readUntil(u, from, to, func(o *record.Observation) bool {
		if o.Key == of {
			first = o
		}
		return first == nil
	}); err != nil || first == nil || len(first.Aliases()) >= maxAliases {
		return err
	}
	first.Alias = strings.Join(append(first.Aliases(), uri), "\n")
	u.put(record.ObservationKey(origin, first.Number), record.Encode(first))
	return u.setAliases(first)
}
