package evidence

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/segraph/segraph/store/log/journal"
)

// addInterval finds the entries between two times. It searches the whole journal, because
// the times of entries need not increase.
func (m *maker) addInterval() error {
	a := &m.claim.About
	if a.From == nil {
		return nil
	}
	first, end := m.log.Size, uint64(0)
	cross, before := uint64(0), true // the last index at which the times pass From, and whether the entry before it is earlier
	err := m.log.Each(m.ctx, 0, func(i uint64, stored []byte) error {
		at, err := timeOf(stored)
		switch early := at.Before(*a.From); {
		case err != nil:
			return err
		case a.has(at):
			first, end = min(first, i), i+1
			before = false
		default:
			if before && !early {
				cross = i
			}
			before = early
		}
		return nil
	})
	if err != nil {
		return err
	}
	if end == 0 && !before { // the log has no entry of the interval, and goes on after it
		first = cross
	}
	end = max(end, first)
	return m.addBetween(first, end)
}

// addBetween adds the entries from first up to but not including end. At both ends it
// continues until it has an entry outside the interval, or reaches the log's end.
func (m *maker) addBetween(first, end uint64) error {
	a := &m.claim.About
	for first > 0 {
		e, err := m.entry(first-1, openNothing)
		if err != nil {
			return err
		}
		if e.Time.Before(*a.From) {
			break
		}
		first--
	}
	for end < m.log.Size {
		e, err := m.entry(end, openNothing)
		if err != nil {
			return err
		}
		if !e.Time.Before(*a.To) {
			break
		}
		end++
	}
	a.First, a.Count = first, end-first
	for i := first; i < end; i++ {
		e, err := m.entry(i, openNothing)
		if err != nil {
			return err
		}
		if isSent(&e) && a.has(e.Time) {
			m.shown[i] |= openWho
		}
		if e.Action == journal.Insert && a.has(e.Time) && a.ofUser(&e) {
			if err := m.addLog(e.LogID); err != nil {
				return err
			}
		}
	}
	return nil
}

var timeMember = []byte(`","time":"`)

// timeOf returns the time of a stored entry, if possible without decoding all of it. The time is one
// of its first members, and quotes inside a text would be escaped.
func timeOf(stored []byte) (time.Time, error) {
	if i := bytes.Index(stored[:min(len(stored), 200)], timeMember); i > 0 {
		text := stored[i+len(timeMember):]
		if end := bytes.IndexByte(text, '"'); end > 0 {
			if at, err := time.Parse(time.RFC3339Nano, string(text[:end])); err == nil {
				return at, nil
			}
		}
	}
	e, err := journal.Parse(stored)
	return e.Time, err
}

// addCase adds the entries that name the review case of the bundle.
func (m *maker) addCase() error {
	return m.eachOfCase(func(i uint64, _ *journal.Entry) error {
		_, err := m.entry(i, whoAndWhat)
		return err
	})
}

// eachOfCase calls f with the index of each entry that names the review case of the bundle, and the entry, until f
// returns an error. Without a case, there is none.
func (m *maker) eachOfCase(f func(i uint64, e *journal.Entry) error) error {
	if m.About.Case == "" {
		return nil
	}
	named := []byte(`"case":` + inJSONText(m.About.Case))
	return m.log.Each(m.ctx, 0, func(i uint64, stored []byte) error {
		if !bytes.Contains(stored, named) {
			return nil
		}
		e, err := journal.Parse(stored)
		if err != nil || e.Case != m.About.Case {
			return err
		}
		return f(i, &e)
	})
}

func inJSONText(s string) string {
	b, _ := json.Marshal(s) // a string can always be written as JSON
	return string(b)
}

// others are entries that belong to a bundle only if something else does.
type others struct {
	clears      []uint64
	keys        map[string][]uint64 // entries of senders' keys, by key
	withdrawals map[string]uint64   // by log id
	lessenings  []lessening
	decisions   map[string]bool // ids of those in the bundle
}

// lessening is an entry of retention or of an erasure, which names what it removed by log indexes.
type lessening struct {
	index    uint64
	erasure  bool
	lessened journal.Ranges
}

// addOthers adds the entries about what happened to the logs: decisions on contexts that
// they mention, removals, and the names and keys of the transparency log.
func (m *maker) addOthers() error {
	found := others{keys: map[string][]uint64{}, withdrawals: map[string]uint64{}, decisions: map[string]bool{}}
	m.mentioned[m.About.IRI] = m.About.IRI != ""
	err := m.log.Each(m.ctx, 0, func(i uint64, stored []byte) error { return m.addOther(&found, i, stored) })
	if err != nil {
		return err
	}
	for signer := range m.signers { // the entries are sorted afterwards
		for _, i := range found.keys[signer] {
			if _, err := m.entry(i, openWho); err != nil {
				return err
			}
		}
	}
	return m.addRemovals(&found)
}

// addOther adds an entry, with an index, about what happened to the logs, or notes it in found for addRemovals.
func (m *maker) addOther(found *others, i uint64, stored []byte) error {
	switch {
	case hasAction(stored, journal.Insert):
		return nil
	case hasAction(stored, journal.Resolve):
		if !m.observes(stored) {
			return nil
		}
		_, err := m.entry(i, openNothing)
		return err
	}
	e, err := journal.Parse(stored)
	if err == nil && (e.Decides() || isSigningKey(&e)) {
		_, e, err = m.log.Entry(i) // with its robot and subject, or its key
	}
	if err != nil {
		return err
	}
	undoesKnown := e.Undone != "" && found.decisions[e.Undone]
	switch {
	case e.Action == journal.Clear:
		found.clears = append(found.clears, i)
	case e.Action == journal.Withdraw:
		if m.logs[e.Withdrawn] != nil {
			found.withdrawals[e.Withdrawn] = i
		}
	case e.Lessened != "":
		lessened, _ := journal.ParseRanges(e.Lessened) // nil if it is no such text
		found.lessenings = append(found.lessenings, lessening{i, e.Action == journal.Erasure, lessened})
	case isKey(&e):
		_, err = m.entry(i, openNothing)
	case isSigningKey(&e):
		found.keys[e.Signer] = append(found.keys[e.Signer], i)
	case e.Decides() && (undoesKnown || m.concerns(&e)):
		if _, err = m.entry(i, whoAndWhat); e.Decision != "" {
			found.decisions[e.Decision] = true
		}
	}
	return err
}

// concerns reports whether a decision is about a mentioned context, or about the robot or the subject of the bundle.
func (m *maker) concerns(e *journal.Entry) bool {
	iri := m.About.IRI
	return m.mentioned[e.Source] || m.mentioned[e.Target] || iri != "" && (e.Robot == iri || e.Subject == iri)
}

// addRemovals adds the entries that removed logs of the bundle, or parts of them. Of several, the first counts; but an
// erasure may have taken only who sent a log. If that is gone, an erasure counts only if nothing else removed the content.
func (m *maker) addRemovals(found *others) error {
	for id, log := range m.logs {
		for _, index := range log.entries {
			if _, complete := m.said[index]; complete {
				continue
			}
			var all []uint64
			if by, withdrawn := found.withdrawals[id]; withdrawn && !log.kept {
				all = append(all, by)
			}
			if at := slices.IndexFunc(found.clears, func(i uint64) bool { return i > index }); at >= 0 && !log.kept {
				all = append(all, found.clears[at])
			}
			_, e, err := m.log.Entry(index)
			if err != nil {
				return err
			}
			var unsure []uint64
			for _, l := range found.lessenings {
				switch {
				case !e.Erased.Has(journal.Content) || !l.lessened.Has(index):
				case l.erasure && e.Erased.Has(journal.Who):
					unsure = []uint64{l.index} // the last one
				default:
					all = append(all, l.index)
				}
			}
			if len(all) == 0 {
				all = unsure
			}
			if len(all) == 0 {
				continue
			}
			by := slices.Min(all)
			if _, err := m.entry(by, whoAndWhat); err != nil {
				return err
			}
			m.claimed(index).RemovedBy = new(by)
		}
	}
	return nil
}

var contextMember = []byte(`,"context":`)

// observes reports whether a stored entry is of an observation of one of the contexts. It does
// not decode it.
func (m *maker) observes(stored []byte) bool {
	i := bytes.Index(stored, contextMember)
	if i < 0 || len(m.contexts) == 0 {
		return false
	}
	text := stored[i+len(contextMember):]
	end := bytes.IndexByte(text[1:], '"') // an IRI has none
	return m.contexts[string(text[:end+2])]
}

// hasAction reports whether a stored entry has an action, without decoding it.
func hasAction(stored []byte, a journal.Action) bool {
	const within = 120 // bytes that hold the link, the log id and the action
	return bytes.Contains(stored[:min(len(stored), within)], []byte(`","action":"`+string(a)+`",`))
}

// finish adds the claim, the checkpoint, the keys, the page and the manifest.
func (m *maker) finish() error {
	slices.SortFunc(m.claim.Entries, func(a, b Entry) int { return int(a.Index) - int(b.Index) })
	for i := range m.claim.Entries {
		item := &m.claim.Entries[i]
		if show := m.shown[item.Index]; show != openNothing {
			_, e, err := m.log.Entry(item.Index)
			if err != nil {
				return err
			}
			item.Open = e.Show(show)
		}
	}
	claim, err := m.claim.text()
	if err != nil {
		return fmt.Errorf("writing the claim: %w", err)
	}
	for name, b := range map[string][]byte{claimName: claim, checkpointName: m.log.Checkpoint, keysName: keysText(m.keys())} {
		if err := m.add(name, b); err != nil {
			return err
		}
	}
	c, err := m.members.decode()
	if err != nil {
		return err
	}
	if m.members[pageName] = page(c); m.members[pageName] == nil || int64(len(m.members[pageName])) > 2*m.MaxBytes {
		return ErrTooMuch
	}
	manifest, err := m.log.Sign(manifestOf(m.log.Origin, m.members))
	if err != nil {
		return err
	}
	return m.add(manifestName, manifest)
}

// keys returns the verifier keys that the log has had under its name, the current one last.
func (m *maker) keys() (keys []namedKey) {
	for _, e := range m.claim.Entries {
		x, err := journal.Parse(m.members[nameOf(entriesFolder, e.Index, "")])
		if err != nil || !isKey(&x) || x.Origin != m.log.Origin {
			continue
		}
		if x.Handover == "" {
			keys = nil // the log began here
		}
		keys = append(keys, namedKey{x.Key, x.Handover})
	}
	if n := len(keys); n == 0 || keys[n-1].key != m.log.Key { // the bundle lacks the current key's entry: no chain can be shown
		return []namedKey{{key: m.log.Key}}
	}
	return keys
}
