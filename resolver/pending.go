package resolver

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/segraph/segraph/resolver/record"
)

// maxShown is how many observations of a context are shown.
const maxShown = 100

// CaseText is how many bytes of observations a page of the queue should have room for, for each case.
const CaseText = 16 << 10

// Room says how much memory a page of the queue may take.
type Room struct {
	// Bytes are for observations. Once they are used up, each context has only its first observation, and a text longer than
	// cutText bytes is cut.
	Bytes int
	// Take takes memory for a case and its contexts, in bytes. It may be nil. Its error ends the page, and Pending returns it
	// unless Short is set.
	Take  func(bytes int) error
	Short bool // the page may have fewer cases than its limit
}

// cutText is how many bytes of a text are shown if there is no room for all of it.
const cutText = 200

// Pending returns pending cases, oldest first, with the contexts that they name. It skips offset cases and returns the next
// limit, however long their texts are, so that a caller who adds its limit to offset misses none. Only if room.Short is set it
// may return fewer: Queue.Limit says how many of the cases it has passed. A nil room is 4 MiB.
func (r *Resolver) Pending(ctx context.Context, limit, offset int, room *Room) (*Queue, error) {
	if room == nil {
		room = &Room{Bytes: 4 << 20}
	}
	q := &Queue{ResolverVersion: Version, Limit: limit, Offset: offset, UnresolvedContexts: []ContextView{}, Contexts: []ContextView{},
		PendingCases: []CaseView{}}
	var numbers []uint64
	err := r.reading(func(u *unit) error {
		q.UnresolvedCount, q.PendingCount, q.Total = u.totals.Ambiguous, u.totals.Pending, u.totals.Pending
		from, to := record.PendingRange(0)
		skip := offset
		return u.scan(from, to, func(key, _ []byte) bool {
			if skip--; skip < 0 && len(numbers) < limit {
				numbers = append(numbers, record.Number(key))
			}
			return len(numbers) < limit
		})
	})
	if err != nil {
		return nil, err
	}
	shown, known := map[uint64]*queued{}, map[uint64]string{}
	q.room = room.Bytes
	listed := 0
	err = r.inSlices(ctx, numbers, func(u *unit, n uint64) error {
		cases, contexts, left := len(q.PendingCases), len(q.Contexts), q.room
		if err := u.showCase(q, n, shown, known); err != nil {
			return err
		}
		listed++
		if room.Take == nil {
			return nil
		}
		err := room.Take(left - q.room + (len(q.Contexts)-contexts)*contextSize + sizeOf(q.PendingCases[cases:]))
		if err != nil && room.Short {
			q.Limit = listed
			return errEnough
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return q, nil
}

// contextSize, caseSize and partSize are about the sizes in bytes of a context, with the case that names it, of a case or a
// candidate, and of one of its contributions.
const (
	contextSize = 500
	caseSize    = 500
	partSize    = 100
)

// sizeOf returns about how much memory some cases take.
func sizeOf(cases []CaseView) (n int) {
	for _, k := range cases {
		n += caseSize
		for _, c := range k.Candidates {
			n += caseSize + len(c.Contributions)*partSize
		}
	}
	return n
}

// showCase adds a case to a queue, with its contexts that are not shown yet. It skips a
// case that was decided meanwhile.
func (u *unit) showCase(q *Queue, number uint64, shown map[uint64]*queued, known map[uint64]string) error {
	k, err := u.caseOf(number)
	if errors.Is(err, errMissing) { // it has become too old meanwhile
		return nil
	} else if err != nil {
		return err
	}
	if k.Status != record.Pending {
		return nil
	}
	names := u.names()
	source, err := u.root(k.Source)
	if err != nil {
		return err
	}
	v := CaseView{CaseID: names.Case(number), Status: k.Status.String(), Reason: Reason(k.Reason), Confidence: k.Any,
		SourceContextURI: source.URI, CreatedAt: time.UnixMicro(k.Opened).UTC(), WeighedAt: time.UnixMicro(k.Weighed.At).UTC(), Candidates: []CandidateView{}}
	if v.Seen, err = u.seenCase(k); err != nil {
		return err
	}
	if err := u.showSource(q, source, shown); err != nil {
		return err
	}
	offered := map[uint64]bool{source.Number: true} // a target may have been merged into the source
	for _, t := range k.Targets {
		root, err := u.root(t.Context)
		if err != nil {
			return err
		}
		if offered[root.Number] {
			continue
		}
		offered[root.Number] = true
		if err := u.showContext(q, root, shown); err != nil {
			return err
		}
		v.Candidates = append(v.Candidates, candidateView(root, t))
		if v.GroupID == "" { // all contexts of a case are in one group
			if v.GroupID, err = u.groupOf(root, known); err != nil {
				return err
			}
		}
	}
	q.PendingCases = append(q.PendingCases, v)
	return nil
}

// candidateView returns the view of a target as it was weighed.
func candidateView(root *shared, t record.Target) CandidateView {
	c := CandidateView{ContextURI: root.URI, Score: t.Probability, LogOdds: t.LogOdds, ScoreBreakdown: breakdown(t.Shares),
		Contributions: []Contribution{}}
	for _, p := range t.Parts {
		c.Contributions = append(c.Contributions, Contribution(p))
	}
	return c
}

// showContext adds a context to the contexts of a queue, unless it is there.
func (u *unit) showContext(q *Queue, s *shared, shown map[uint64]*queued) error {
	if shown[s.Number] == nil {
		v, err := u.viewOf(s, s.Origins, &q.room)
		if err != nil {
			return err
		}
		q.Contexts = append(q.Contexts, v)
		shown[s.Number] = &queued{at: len(q.Contexts) - 1}
	}
	return nil
}

// showSource adds a context to a queue as showContext does, and to its sources.
func (u *unit) showSource(q *Queue, s *shared, shown map[uint64]*queued) error {
	if err := u.showContext(q, s, shown); err != nil {
		return err
	}
	if before := shown[s.Number]; !before.source {
		before.source = true
		q.UnresolvedContexts = append(q.UnresolvedContexts, q.Contexts[before.at])
	}
	return nil
}

// queued is the position of a context in a queue.
type queued struct {
	at     int
	source bool // it is also among the sources
}

// describe returns the view of a context, without its observations.
func describe(s *shared) ContextView {
	v := ContextView{URI: s.URI, EventKind: s.Kind, Status: s.Status().String(), ObservationCount: int(s.Count), Observations: []ObservationView{}}
	for _, m := range s.Members {
		if v.SubjectURI == nil && !m.Generic {
			v.SubjectURI = orNull(m.Subject)
		}
		if v.Modality == nil {
			v.Modality = orNull(m.Modality)
		}
	}
	return v
}

// showObservations adds the observations of an origin to a context: the first, and more while there is room for
// them, in bytes.
func (u *unit) showObservations(v *ContextView, origin uint64, room *int) error {
	from, to := record.ObservationRange(origin)
	return readUntil(u, from, to, func(o *record.Observation) bool {
		if len(v.Observations) == 0 {
			v.ObservedAt = o.ObservedAt
		}
		o.Text = cut(o.Text, max(cutText, *room))
		if v.CanonicalText == nil {
			v.CanonicalText = orNull(o.Text)
			*room -= len(o.Text)
		}
		if len(v.Observations) == 0 || len(v.Observations) < maxShown && *room > 0 {
			o.Text = cut(o.Text, max(cutText, *room)) // CanonicalText has taken room
			v.Observations = append(v.Observations, viewOf(o))
			*room -= emptyObservation + len(o.Text) + len(o.URI) + len(o.Subject) + len(o.Robot) + len(o.Location)
		}
		return len(v.Observations) < maxShown && *room > 0
	})
}

// cut returns a text, or about its first n bytes and "…" if it is longer.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}

// emptyObservation is about the size of a view of an observation without texts, in bytes.
const emptyObservation = 200

func viewOf(o *record.Observation) ObservationView {
	return ObservationView{ObservedAt: o.ObservedAt, SubjectURI: orNull(o.Subject), Modality: orNull(o.Modality), Text: orNull(o.Text),
		ObservationURI: orNull(o.URI), RobotURI: orNull(o.Robot), LocationURI: orNull(o.Location)}
}

// orNull returns a pointer to a copy of s, or nil if s is empty.
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	s = strings.Clone(s)
	return &s
}
