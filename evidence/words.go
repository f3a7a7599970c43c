package evidence

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/internal/quoted"
	"github.com/segraph/segraph/store/log/journal"
)

// shown returns a time as the page shows it.
func shown(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05.000 UTC") }

// count returns a number with its noun.
func count(n uint64, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	digits := strconv.FormatUint(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits + " " + more
}

// describe returns a sentence that says what an entry records. Values that somebody sent are
// quoted.
func describe(e *journal.Entry) string {
	v := quoted.Value
	name := func(value string) string { return valueOf(e, journal.Who, value) }
	thing := func(value string) string { return valueOf(e, journal.What, value) }
	who := name(e.Actor)
	if e.Claimed != "" && e.Claimed != e.Actor {
		who += " (as " + v(e.Claimed) + ")"
	}
	at := shown(e.Time)
	if e.Box != "" {
		at += fmt.Sprintf(", when it came from the box %s, which had stored it at %s", v(e.Box), shown(e.BoxTime))
	}
	triples := count(uint64(max(e.Triples, 0)), "triple", "triples")
	removed := count(uint64(max(e.Removed, 0)), "triple", "triples")
	did := map[journal.Action]string{
		journal.Insert:           fmt.Sprintf("sent the log %s with %s, %d of them new", e.LogID, triples, e.Added),
		journal.Remove:           "removed " + removed,
		journal.Clear:            "deleted the whole graph, " + removed,
		journal.Withdraw:         fmt.Sprintf("withdrew the log %s, which removed %s", e.Withdrawn, removed),
		journal.WithdrawContexts: "removed shared contexts that withdrawn logs had contributed",
		journal.Restore:          "restored a backup",
		journal.Issue:            "issued a token to " + name(e.Owner),
		journal.Revoke:           "revoked tokens",
		journal.Erasure:          "erased a person",
		journal.Expire:           "withdrew the logs that were too old, which removed " + removed,
		journal.Look:             "looked up what is kept of " + thing(e.Subject),
		journal.CaseFile:         "made a case file",
		journal.Remark:           "wrote a note about " + thing(e.Subject),
		journal.Hold:             "put " + thing(e.Subject) + " under a legal hold",
		journal.Lift:             "ended the legal hold on " + thing(e.Subject),
		journal.Origin:           fmt.Sprintf("began the log %s with the key %s", e.Origin, e.Key),
		journal.Rotate:           fmt.Sprintf("gave the log %s the key %s", e.Origin, e.Key),
		journal.UseKey:           fmt.Sprintf("added the key %s, with which %s signs", keyOf(e), name(e.Owner)),
		journal.DropKey:          fmt.Sprintf("removed the key %s of %s", keyOf(e), name(e.Owner)),
		journal.Resolve:          fmt.Sprintf("reported an observation of %s (%s), which was answered with %s (%s)", name(e.Robot), thing(e.Kind), v(e.Context), e.Outcome),
		journal.Accept:           fmt.Sprintf("merged %s into %s", v(e.Source), v(e.Target)),
		journal.Reject:           fmt.Sprintf("kept %s and %s separate", v(e.Source), v(e.Target)),
		journal.Undo:             fmt.Sprintf("reversed the decision %s on %s and %s", v(e.Undone), v(e.Source), v(e.Target)),
		journal.Reconcile:        "reconciled all contexts",
		journal.Relay:            "decided whether the robot " + name(e.Robot) + " is a relay",
		journal.Subject:          "decided whether " + thing(e.Subject) + " is one person",
		journal.Clock:            "decided on the clock of the robot " + name(e.Robot),
	}[e.Action]
	if did == "" {
		did = "wrote an entry: " + string(e.Action)
	}
	out := who + " " + did
	if e.Detail != "" {
		out += " (" + v(e.Detail) + ")"
	}
	return out + ", at " + at + "."
}

// tally is what the logs of a bundle have in common, and how many have what.
type tally struct {
	entries                       int             // a log in parts has several
	ids                           map[string]bool // of the logs
	users                         []string
	first, last                   time.Time
	proved, removed, signed, open int // entries: with their triples, of removed logs, signed, with a signature not compared with the triples
}

// tallied counts the logs of a bundle.
func (c *contents) tallied() tally {
	t := tally{ids: map[string]bool{}}
	for _, item := range c.logs() {
		e := c.entries[item.Index]
		t.entries++
		t.ids[e.LogID] = true
		if _, has := c.graphs[item.Index]; has {
			t.proved++
		}
		if item.RemovedBy != nil {
			t.removed++
		}
		if c.unsure(item) {
			t.open++
		} else if c.signatures[item.Index] != nil {
			t.signed++
		}
		if user := valueOf(e, journal.Who, e.Actor); !slices.Contains(t.users, user) {
			t.users = append(t.users, user)
		}
		if t.first.IsZero() || e.Time.Before(t.first) {
			t.first = e.Time
		}
		if e.Time.After(t.last) {
			t.last = e.Time
		}
	}
	return t
}

// received says what the log received, as the beginning of a sentence.
func (c *contents) received(t tally) string {
	a, origin := c.claim.About, c.claim.Origin
	found := count(uint64(t.entries), "log", "logs")
	if len(t.ids) < t.entries {
		found = fmt.Sprintf("%s in %d entries", count(uint64(len(t.ids)), "log", "logs"), t.entries)
	}
	switch {
	case a.From != nil:
		out := c.between(t.entries == 0)
		if t.entries > 0 {
			out += fmt.Sprintf("; %s of %s", found, listed(t.users))
			if a.User != "" && !slices.Contains(t.users, quoted.Value(a.User)) {
				out += fmt.Sprintf(" (as %s)", quoted.Value(a.User))
			}
		}
		return out
	case t.entries == 0:
		return fmt.Sprintf("%s has %s about this, and no log", origin, count(uint64(len(c.claim.Entries)), "entry", "entries"))
	case t.entries == 1:
		return fmt.Sprintf("%s received 1 log of %s at %s", origin, listed(t.users), shown(t.first))
	}
	return fmt.Sprintf("%s received %s of %s from %s to %s", origin, found, listed(t.users), shown(t.first), shown(t.last))
}

// between says which entries the log has between two times, and up to when that is proved. none means that no log is
// of the user for whom the bundle was made. Entries after the proved time are there if a clock was set back.
func (c *contents) between(none bool) string {
	a, until := c.claim.About, c.proved()
	n, after := uint64(0), uint64(0)
	for _, i := range c.inInterval() {
		if c.entries[i].Time.After(until) {
			after++
		} else {
			n++
		}
	}
	later := ""
	if after > 0 {
		later = "; " + count(after, "entry of that time is here", "entries of that time are here")
	}
	if until.Before(*a.From) {
		return fmt.Sprintf("%s ends at %s, so nothing is proved of the time from %s to %s", c.claim.Origin, shown(until), shown(*a.From), shown(*a.To)) + later
	}
	out := fmt.Sprintf("%s has %s from %s to %s, and ", c.claim.Origin, count(n, "entry", "entries"), shown(*a.From), shown(until))
	if none && a.User != "" {
		out += fmt.Sprintf("none of them is a log of %s, by token or by claim", quoted.Value(a.User))
	} else {
		out += "they are all here"
	}
	if until.Before(*a.To) {
		out += "; it ends there, so nothing is proved of the time from then to " + shown(*a.To) + later
	}
	if n += after; n < a.Count {
		out += "; between them are " + count(a.Count-n, "entry with another time", "entries with other times")
	}
	return out
}

// inInterval returns the indexes of the entries between the two times of the claim, in order.
func (c *contents) inInterval() (indexes []uint64) {
	for _, e := range c.claim.Entries {
		if c.within(e.Index) {
			indexes = append(indexes, e.Index)
		}
	}
	return indexes
}

// holds says in one sentence what a bundle proves.
func (c *contents) holds() string {
	t := c.tallied()
	out := c.received(t)
	if t.entries > 0 {
		out += fmt.Sprintf("; what was said is proved for %d of %d", t.proved, t.entries)
		if len(t.ids) < t.entries {
			out += " entries"
		}
	}
	if t.removed == 1 {
		out += ", and 1 was removed since"
	} else if t.removed > 1 {
		out += fmt.Sprintf(", and %d were removed since", t.removed)
	}
	if t.signed > 0 {
		out += fmt.Sprintf("; %d of %d are signed by their senders’ keys", t.signed, t.entries)
	}
	if t.open > 0 {
		out += fmt.Sprintf("; %d of %d have a signature that was not compared with their triples", t.open, t.entries)
	}
	out += c.observed() + c.anonymous()
	if n := c.unproved(); len(c.claim.Triples) > 0 {
		out += fmt.Sprintf("; %d of %d triples are proved", len(c.claim.Triples)-n, len(c.claim.Triples))
	}
	return out + "."
}

// observed says how many observations the bundle has.
func (c *contents) observed() string {
	all, signed := uint64(0), 0
	for _, item := range c.claim.Entries {
		if c.entries[item.Index].Action == journal.Resolve && c.within(item.Index) {
			if all++; c.signatures[item.Index] != nil {
				signed++
			}
		}
	}
	if all == 0 {
		return ""
	}
	return fmt.Sprintf("; it received %s, %d of them signed by their senders’ keys", count(all, "observation", "observations"), signed)
}

// anonymous says, for a claim about two times, which entries between them do not show who
// sent them. The bundle can't prove that somebody did not send these.
func (c *contents) anonymous() string {
	var indexes []string
	for _, item := range c.claim.Entries {
		if e := c.entries[item.Index]; c.claim.About.From != nil && c.within(item.Index) && isSent(e) && isHidden(e, journal.Who) {
			indexes = append(indexes, strconv.FormatUint(item.Index, 10))
		}
	}
	if len(indexes) == 0 {
		return ""
	}
	return fmt.Sprintf("; who sent the entries %s is not shown, so they may be anybody’s", listed(indexes))
}

const oneHistory = "That there is one history. Somebody with the service’s file and key can show different logs to different readers, who notice when they compare checkpoints."

// limits returns sentences that say what the bundle does not prove. cosigned means that a
// witness that the reader named has cosigned it.
func (c *contents) limits(cosigned bool) (out []string) {
	out = []string{
		"That a robot told the truth. The bundle proves what was logged, and not that it happened.",
		"That a robot sent a log that nobody signed. A token says who it was. Anybody with the token, and the service itself, can write in that name.",
		"Whose key signed a log. The bundle proves that somebody with the key did. Compare the key’s id with one that you have from the robot’s owner.",
		"Exactly when something happened. All times are those of the server’s clock, except those inside triples, which are the robot’s.",
		"That the server was on, and received all that was sent to it.",
	}
	if !cosigned {
		out = append(out, oneHistory)
	}
	if c.claim.About.From == nil {
		out = append(out, "That nothing else was logged about this. The bundle has what was asked for, and not all of the log.")
	} else {
		out = append(out, "That no entry outside this part of the log has a time between the two. A clock that was set back can give it one.",
			"That boxes which forward to this service had nothing more. What they stored in that time may have come later, or may still come.")
	}
	if c.claim.About.Query != "" {
		out = append(out, "That the triples are what the query finds. Nobody can know that without the whole graph.")
	}
	return out
}

// signedBy says who signed a log or an observation, and what that proves, in HTML.
func (c *contents) signedBy(item Entry) string {
	e, s := c.entries[item.Index], c.signatures[item.Index]
	switch {
	case e.Box != "":
		return fmt.Sprintf("nobody, as far as this log shows. The log of the box %s says who signed it there.", sentence(quoted.Value(e.Box)))
	case e.SignatureHash == "" && e.Signer == "":
		return fmt.Sprintf("nobody. The service says that it was %s.", sentence(valueOf(e, journal.Who, e.Actor)))
	case s == nil && isHidden(e, journal.Who):
		return "a key that is not shown here."
	case s == nil:
		return fmt.Sprintf("the key <code>%s</code> of %s, as the service says. This bundle does not have the signature, so it does not prove that.", esc(e.Signer), value(e.Actor))
	}
	out := fmt.Sprintf("the key <code>%s</code>, which belongs to %s, as the service says. The key signed at %s, by the sender’s clock, that this be sent to %s. ",
		esc(e.Signer), value(e.Actor), esc(shown(s.created)), value(s.request.Authorities[0]+s.request.Path))
	_, hasGraph := c.graphs[item.Index]
	where := fmt.Sprintf("<code>%s%d</code> (%s)", bodiesFolder, item.Index, count(uint64(len(s.body)), "byte", "bytes"))
	switch {
	case s.body == nil:
		return out + fmt.Sprintf("What it signed was erased, as the service says. It had the digest %s.", value(cmp.Or(s.request.Header.Get("Content-Digest"), s.request.Header.Get("List-Digest"))))
	case e.Action == journal.Resolve && s.object != nil && !isHidden(e, journal.What):
		return out + "It signed the observation in " + where + ", which is of this robot and this kind."
	case c.canCompare(item) && s.unread:
		return out + "It signed the document in " + where + ", to which the entry commits. It is JSON-LD, and was not compared with what is shown here."
	case c.canCompare(item) && hasGraph:
		return out + "It signed the document in " + where + ", which says what is shown here."
	case c.canCompare(item):
		return out + "It signed the document in " + where + ", to which the entry commits."
	}
	return out + "It signed what is in " + where + ". That was not compared with what is shown here."
}

// witnesses returns the names on the signature lines of the checkpoint, without the log's.
func (c *checkpoint) witnesses() (names []string) {
	_, lines, _ := strings.Cut(string(c.signed), "\n\n")
	for line := range strings.Lines(lines) {
		parts := strings.Split(line, " ")
		if len(parts) == 3 && parts[1] != c.origin && !slices.Contains(names, parts[1]) {
			names = append(names, parts[1])
		}
	}
	return names
}

// unproved returns the number of claimed triples that the bundle does not prove to be in
// a log.
func (c *contents) unproved() (n int) {
	for _, t := range c.claim.Triples {
		if t.Log == nil || c.graphs[*t.Log] == nil {
			n++
		}
	}
	return n
}

// names lists the first of some names, quoted.
func names(users []string) string {
	var out []string
	for _, u := range users {
		out = append(out, quoted.Value(u))
	}
	return listed(out)
}

// listed lists the first five of some texts, and says how many others there are.
func listed(users []string) string {
	const most = 5
	if len(users) == 0 {
		return "nobody"
	}
	more := ""
	if n := len(users) - most; n > 0 {
		users, more = users[:most], fmt.Sprintf(" and %d others", n)
	}
	return strings.Join(users, ", ") + more
}
