package resolver

import (
	"fmt"
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/text"
)

// sighting is a parsed observation: what will be stored, and what is compared.
type sighting struct {
	record.Observation
	member record.Member
	side   side
	lateOf uint64 // the context that it is a late report of, or 0
}

// Largest sizes of the members of an observation, in characters.
const (
	maxName = 200 // kinds and modalities
	maxURI  = 1024
	maxText = 64 << 10
)

// intake validates an observation, which arrives now unless it says when. The error is an *Error with code Invalid.
func (p *policy) intake(o Observation, now func() time.Time) (*sighting, error) {
	for _, f := range []struct {
		member string
		value  *string
		limit  int
	}{
		{"event_kind", &o.EventKind, maxName}, {"observed_at", &o.ObservedAt, maxName},
		{"subject_uri", &o.SubjectURI, maxURI}, {"modality", &o.Modality, maxName},
		{"observation_uri", &o.ObservationURI, maxURI}, {"robot_uri", &o.RobotURI, maxURI},
		{"location_uri", &o.LocationURI, maxURI}, {"received_at", &o.ReceivedAt, maxName}, {"the context of the box", &o.Alias, maxURI},
	} {
		if err := clean(f.member, f.value, f.limit); err != nil {
			return nil, err
		}
	}
	if utf8.RuneCountInString(o.Text) > maxText {
		return nil, invalid("text", "text is longer than %d characters", maxText)
	}
	if o.EventKind == "" {
		return nil, invalid("event_kind", "event_kind is missing")
	}
	if o.ObservedAt == "" {
		return nil, invalid("observed_at", "observed_at is missing")
	}
	at, err := readTime("observed_at", o.ObservedAt)
	if err != nil {
		return nil, err
	}
	received := stamp{at: now().UnixMicro()}
	if o.ReceivedAt != "" {
		if received, err = readTime("received_at", o.ReceivedAt); err != nil {
			return nil, err
		}
	}
	window := p.TimeWindow
	if o.TimeWindowSeconds != 0 {
		if window = o.TimeWindowSeconds; !(window >= minWindow && window <= maxWindow) {
			return nil, invalid("time_window_seconds", "time_window_seconds must be from %g to %g", minWindow, float64(maxWindow))
		}
	}
	s := &sighting{Observation: record.Observation{
		Kind: strings.ToLower(o.EventKind), ObservedAt: at.text, At: at.at, Received: received.at, Subject: o.SubjectURI,
		Modality: o.Modality, Text: o.Text, URI: o.ObservationURI, Robot: o.RobotURI, Location: o.LocationURI,
		Alias: o.Alias,
	}}
	s.member = p.memberOf(&s.Observation, at)
	// The setting is half the largest gap.
	s.side = side{members: []record.Member{s.member}, kind: text.Fingerprint(s.Kind), window: int64(math.Round(2 * window * second))}
	if t := text.New(s.member.Text); t != nil {
		s.side.texts = []*text.Text{t}
	}
	return s, nil
}

// clean removes white space around the value of a member. The error is an *Error with code
// Invalid if the value has more than limit characters, or holds control characters.
func clean(member string, value *string, limit int) error {
	if utf8.RuneCountInString(*value) > limit {
		return invalid(member, "%s is longer than %d characters", member, limit)
	}
	*value = strings.TrimSpace(*value)
	if strings.ContainsFunc(*value, unicode.IsControl) {
		return invalid(member, "%s contains control characters", member)
	}
	return nil
}

// named cleans a URI, which must not be empty.
func named(member string, value *string) error {
	if err := clean(member, value, maxURI); err != nil {
		return err
	}
	if *value == "" {
		return invalid(member, "%s must not be empty", member)
	}
	return nil
}

// memberOf returns the compared part of an observation with a timestamp.
func (p *policy) memberOf(o *record.Observation, at stamp) record.Member {
	return record.Member{
		At: o.At, Coarse: at.fraction == "", Subject: o.Subject, Generic: o.Subject != "" && p.isGeneric(o.Subject),
		Modality: strings.ToLower(o.Modality), Text: text.Normal(o.Text), Robot: o.Robot, Location: o.Location,
		Received: o.Received,
	}
}

func invalid(member, format string, args ...any) *Error {
	return &Error{Code: Invalid, Member: member, Detail: fmt.Sprintf(format, args...)}
}

func unsupported(format string, args ...any) *Error {
	return &Error{Code: Unsupported, Detail: fmt.Sprintf(format, args...)}
}

// isGeneric reports whether a subject is generic, by the last part of its path.
func (p *policy) isGeneric(subject string) bool {
	last := strings.TrimRight(subject, "/#")
	last = last[strings.LastIndexAny(last, "/#:")+1:]
	return p.generic.MatchString(last)
}
