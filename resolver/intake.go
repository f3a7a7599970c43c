package resolver

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"unicode"

	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/text"
	"github.com/segraph/segraph/store/rdf"
)

// sighting is an observation that has been read: what will be stored of it, and what is compared.
type sighting struct {
	record.Observation
	member record.Member
	side   side
}

// Longest values of an observation, in bytes.
const (
	maxName = 200 // of kinds and modalities
	maxURI  = 1024
	maxText = 64 << 10
)

// Stamps are between these years, so that microseconds fit a number with room for arithmetic.
const minYear, maxYear = 1900, 2200

// intake reads an observation. The error is an *Error that is Invalid.
func (r *Resolver) intake(o Observation) (*sighting, error) {
	for _, f := range []struct {
		member string
		value  *string
		limit  int
	}{
		{"event_kind", &o.EventKind, maxName}, {"observed_at", &o.ObservedAt, maxName},
		{"subject_uri", &o.SubjectURI, maxURI}, {"modality", &o.Modality, maxName},
		{"observation_uri", &o.ObservationURI, maxURI}, {"robot_uri", &o.RobotURI, maxURI},
		{"location_uri", &o.LocationURI, maxURI}, {"received_at", &o.ReceivedAt, maxName},
	} {
		*f.value = strings.TrimSpace(*f.value)
		if len(*f.value) > f.limit {
			return nil, invalid(f.member, "%s is longer than %d bytes", f.member, f.limit)
		}
		if strings.ContainsFunc(*f.value, unicode.IsControl) {
			return nil, invalid(f.member, "%s holds control characters", f.member)
		}
	}
	if len(o.Text) > maxText {
		return nil, invalid("text", "text is longer than %d bytes", maxText)
	}
	if o.EventKind == "" {
		return nil, invalid("event_kind", "event_kind is missing")
	}
	if o.ObservedAt == "" {
		return nil, invalid("observed_at", "observed_at is missing")
	}
	at, coarse, err := readTime("observed_at", o.ObservedAt)
	if err != nil {
		return nil, err
	}
	received := r.now().UnixMicro()
	if o.ReceivedAt != "" {
		if received, _, err = readTime("received_at", o.ReceivedAt); err != nil {
			return nil, err
		}
	}
	window := r.settings.TimeWindow
	if o.TimeWindowSeconds != 0 {
		if window = o.TimeWindowSeconds; !(window >= minWindow && window <= maxWindow) {
			return nil, invalid("time_window_seconds", "time_window_seconds must be from %g to %g", minWindow, float64(maxWindow))
		}
	}
	s := &sighting{Observation: record.Observation{
		Kind: strings.ToLower(o.EventKind), ObservedAt: o.ObservedAt, At: at, Received: received, Subject: o.SubjectURI,
		Modality: o.Modality, Text: o.Text, URI: o.ObservationURI, Robot: o.RobotURI, Location: o.LocationURI,
	}}
	s.member = record.Member{
		At: at, Coarse: coarse, Subject: o.SubjectURI, Generic: o.SubjectURI != "" && r.isGeneric(o.SubjectURI),
		Modality: strings.ToLower(o.Modality), Text: text.Normal(o.Text), Robot: o.RobotURI,
		Location: o.LocationURI,
	}
	s.Key = s.repeatKey()
	s.side = side{members: []record.Member{s.member}, kind: text.Fingerprint(s.Kind), window: int64(math.Round(2 * window * second))}
	if t := text.New(s.member.Text); t != nil {
		s.side.texts = []*text.Text{t}
	}
	return s, nil
}

func invalid(member, format string, args ...any) *Error {
	return &Error{Code: Invalid, Member: member, Detail: fmt.Sprintf(format, args...)}
}

// readTime reads the time of a member of an observation, in microseconds since 1970; coarse reports
// whether it has whole seconds. The error is an *Error that is Invalid.
func readTime(member, s string) (us int64, coarse bool, err error) {
	d, ok := rdf.ParseDateTime(s, rdf.XSDDateTime)
	if !ok {
		return 0, false, invalid(member, "%s must be a date and time such as 2026-02-11T09:12:13.150Z", member)
	}
	if d.Year() < minYear || d.Year() >= maxYear {
		return 0, false, invalid(member, "%s must be between the years %d and %d", member, minYear, maxYear)
	}
	whole, fraction := d.Unix()
	us = whole * second
	digits := (fraction + "000000")[:6]
	for i, unit := 0, int64(100_000); i < 6; i, unit = i+1, unit/10 {
		us += int64(digits[i]-'0') * unit
	}
	return us, strings.Trim(fraction, "0") == "", nil
}

// isGeneric tells whether a subject is nobody in particular: by the last part of its path.
func (r *Resolver) isGeneric(subject string) bool {
	last := strings.TrimRight(subject, "/#")
	last = last[strings.LastIndexAny(last, "/#:")+1:]
	return r.generic.MatchString(last)
}

// repeatKey gives what proves a repeat: the observation's own name, or else all that it says, if it
// says by whom or of whom. Without that nothing tells a repeat from two robots that saw the same.
func (s *sighting) repeatKey() record.Hash {
	h := sha256.New()
	put := func(parts ...string) {
		for _, p := range parts {
			_, _ = h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(p))))
			_, _ = h.Write([]byte(p))
		}
	}
	switch {
	case s.URI != "":
		put("uri", s.URI)
	case s.Robot != "" || s.member.Subject != "" && !s.member.Generic:
		put("all", s.Kind, fmt.Sprint(s.At), s.Subject, s.member.Modality, s.Text, s.Robot)
	default:
		return record.Hash{}
	}
	return record.Hash(h.Sum(nil)[:16])
}
