// Package evidence makes bundles that prove what was logged, and verifies them.
//
// A bundle is a zip file for readers who trust neither the service nor its operator. Its members:
//
//	index.html      a page for people; it is computed from the other members
//	claim.json      what the bundle is about: a Claim
//	entries/INDEX   entries of the log, as stored
//	proofs/INDEX    a tlog-proof (C2SP) of each: the tree of the checkpoint has it
//	graphs/INDEX.nq what a log said: the canonical N-Quads that its entry commits to
//	signatures/INDEX the key, the signature and the signature base of the request that sent
//	                a log or an observation, if a robot signed it
//	bodies/INDEX    the body of that request, as received, until it is erased
//	checkpoint      the log's signed checkpoint
//	keys            the log's verifier keys, the current one last, each after the first with
//	                the note with which the former one named it
//	manifest        a signed note of the log's key: size and SHA-256 of each other member
//
// Verify needs only the bundle and a verifier key that its reader already has. It names
// each member that was changed, removed or added, and rebuilds the page. So it also
// detects a service that signed a false page.
//
// Rules: a bundle holds nothing that its entries do not commit to, except the Claim. After
// the first release the page of a format never changes: to change its words, add a format.
package evidence

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
)

// bundleFormat is the format of bundles, and of their pages.
const bundleFormat = 1

// Names of members.
const (
	pageName       = "index.html"
	claimName      = "claim.json"
	checkpointName = "checkpoint"
	keysName       = "keys"
	manifestName   = "manifest"
	entriesFolder  = "entries/"
	proofsFolder   = "proofs/"
	graphsFolder   = "graphs/"
	graphSuffix    = ".nq"

	signaturesFolder = "signatures/"
	bodiesFolder     = "bodies/"
)

// Limits of a bundle. Verify refuses larger ones, so that a small file can't fill the memory.
const (
	MaxEntries = 20_000
	MaxLogs    = 5_000    // logs with their content
	MaxTriples = 20_000   // claimed triples
	MaxBytes   = 64 << 20 // of all members except the page
	maxPage    = 2 * MaxBytes
	maxMembers = 2*MaxEntries + 3*MaxLogs + 10
	maxSmall   = 1 << 20         // of an entry, a proof, a signature, the checkpoint or the keys
	maxValues  = 30 * MaxEntries // members, objects and lists in a claim: each entry has up to 23

	maxManifest = 6 << 20 // 106 bytes for each member
)

// sizeLimit returns the largest size of a member. Members that are read line by line, or
// printed more than once, are small.
func sizeLimit(name string) int64 {
	folder, _, in := strings.Cut(name, "/")
	switch {
	case name == pageName:
		return maxPage
	case name == manifestName:
		return maxManifest
	case name == claimName, in && (folder+"/" == graphsFolder || folder+"/" == bodiesFolder):
		return MaxBytes
	}
	return maxSmall
}

// Claim says what a bundle is about, and how its members belong together.
type Claim struct {
	Format  int       `json:"format"`
	Origin  string    `json:"origin"`
	Made    time.Time `json:"made"` // by the server's clock
	By      string    `json:"by"`   // user who asked for it
	About   About     `json:"about"`
	Entries []Entry   `json:"entries"` // in order
	Triples []Triple  `json:"triples,omitempty"`
}

// About is the subject of a bundle: logs, an IRI, a query, a review case, or all entries
// between two times.
type About struct {
	Logs  []string `json:"logs,omitempty"` // log ids
	IRI   string   `json:"iri,omitempty"`
	Query string   `json:"query,omitempty"`
	Case  string   `json:"case,omitempty"`

	// The bundle has Count entries from the index First on, and the entries before and after them, which show that it
	// has all at From or later and before To. User, unless empty, is the user for whose logs it was made.
	From  *time.Time `json:"from,omitempty"`
	To    *time.Time `json:"to,omitempty"`
	User  string     `json:"user,omitempty"`
	First uint64     `json:"first,omitempty"`
	Count uint64     `json:"count,omitempty"`
}

// ofUser reports whether an entry is of the user whose logs are looked for, by token or by claim.
func (a About) ofUser(e *journal.Entry) bool {
	return a.User == "" || e.Actor == a.User || e.Claimed == a.User
}

// has reports whether a time is between From and To, or there are none.
func (a About) has(t time.Time) bool { return a.From == nil || !t.Before(*a.From) && t.Before(*a.To) }

// Check returns an error unless a bundle can be about this.
func (a About) Check() error {
	subjects := 0
	for _, given := range []bool{len(a.Logs) > 0, a.IRI != "", a.Query != "", a.Case != "", a.From != nil || a.To != nil} {
		if given {
			subjects++
		}
	}
	switch {
	case subjects != 1:
		return fmt.Errorf("a bundle is about exactly one of logs, an IRI, a query, a case or an interval, but %d are given", subjects)
	case (a.From == nil) != (a.To == nil), a.From != nil && !a.From.Before(*a.To):
		return errors.New("an interval needs both from and to, and to must be later")
	case a.From == nil && (a.User != "" || a.First != 0 || a.Count != 0):
		return errors.New("a user, or a part of the log, can be given only with an interval")
	case len(a.Logs) > MaxLogs:
		return ErrTooMuch
	case a.IRI != "" && !rdf.IsIRI(a.IRI):
		return fmt.Errorf("%.200q is not an IRI", a.IRI)
	}
	for _, text := range append([]string{a.IRI, a.Query, a.Case, a.User}, a.Logs...) {
		if !utf8.ValidString(text) {
			return fmt.Errorf("%.200q is not UTF-8", text)
		}
	}
	return nil
}

// Entry is an entry of the log that the bundle has.
type Entry struct {
	Index uint64 `json:"index"`
	// Open are the groups of the entry's values that the bundle shows.
	Open *journal.Open `json:"open,omitempty"`
	// Salt is that of the content's hashes, if the bundle has the content or the signed body.
	Salt []byte `json:"salt,omitempty"`
	// RemovedBy is the index of the entry that removed the log's content.
	RemovedBy *uint64 `json:"removed_by,omitempty"`
}

// text returns the member with the claim. A claim has only this form, so that no two programs
// read it differently.
func (c *Claim) text() ([]byte, error) { return json.MarshalIndent(c, "", " ") }

// Triple is a claimed triple, in N-Triples.
type Triple struct {
	Text string `json:"triple"`
	// Log is the index of the entry of a log that said it, nil if none was found.
	Log *uint64 `json:"log,omitempty"`
}

// contents are a bundle's members, decoded.
type contents struct {
	claim      Claim
	entries    map[uint64]*journal.Entry
	graphs     map[uint64][]byte
	signatures map[uint64]*signature
	checkpoint checkpoint
	keys       []namedKey
}

// members are the members of a bundle by name.
type members map[string][]byte

// indexed returns the indexes of the members in a folder, in order.
func (m members) indexed(folder, suffix string) (out []uint64) {
	for name := range m {
		if i, ok := indexOf(name, folder, suffix); ok {
			out = append(out, i)
		}
	}
	slices.Sort(out)
	return out
}

// indexOf returns the index that the name of a member in a folder has. ok is false for any other name, also if the number has
// leading zeros.
func indexOf(name, folder, suffix string) (index uint64, ok bool) {
	text, ok := strings.CutPrefix(name, folder)
	text, ok2 := strings.CutSuffix(text, suffix)
	n, err := strconv.ParseUint(text, 10, 62)
	return n, ok && ok2 && err == nil && strconv.FormatUint(n, 10) == text
}

func nameOf(folder string, index uint64, suffix string) string {
	return folder + strconv.FormatUint(index, 10) + suffix
}

// decode decodes the members that a page is made of. The error is a *Failure.
func (m members) decode() (*contents, error) {
	c := &contents{entries: map[uint64]*journal.Entry{}, graphs: map[uint64][]byte{}, signatures: map[uint64]*signature{}}
	if values(m[claimName]) > maxValues { // read, each would take more memory than here
		return nil, fail(claimName, "it says more than a bundle can have")
	}
	err := json.Unmarshal(m[claimName], &c.claim)
	if err != nil {
		return nil, fail(claimName, "it can't be read: %v", err)
	}
	if c.claim.Format != bundleFormat {
		return nil, fail(claimName, "this program knows bundles of the format %d, and not %d: use a newer one", bundleFormat, c.claim.Format)
	}
	if len(c.claim.Entries) > MaxEntries || len(c.claim.Triples) > MaxTriples {
		return nil, fail(claimName, "it has more than %d entries or %d triples", MaxEntries, MaxTriples)
	}
	if again, err := c.claim.text(); err != nil || !bytes.Equal(again, m[claimName]) {
		return nil, fail(claimName, "it is not written as this program writes it")
	}
	for _, i := range m.indexed(entriesFolder, "") {
		e, err := journal.Parse(m[nameOf(entriesFolder, i, "")])
		if err != nil || !unambiguous(m[nameOf(entriesFolder, i, "")][sha256.Size:]) {
			return nil, fail(nameOf(entriesFolder, i, ""), "it can't be read")
		}
		c.entries[i] = &e
	}
	for _, item := range c.claim.Entries {
		if e := c.entries[item.Index]; e != nil {
			if err := e.Read(item.Open); err != nil {
				return nil, fail(claimName, "entry %d: %v", item.Index, err)
			}
		}
	}
	for _, i := range m.indexed(graphsFolder, graphSuffix) {
		c.graphs[i] = m[nameOf(graphsFolder, i, graphSuffix)]
	}
	if err := m.decodeSignatures(c); err != nil {
		return nil, err
	}
	if c.keys, err = parseKeys(m[keysName]); err != nil {
		return nil, fail(keysName, "%v", err)
	}
	if c.checkpoint, err = parseCheckpoint(m[checkpointName]); err != nil {
		return nil, fail(checkpointName, "%v", err)
	}
	return c, nil
}

// values returns the number of commas and of opening brackets in JSON, without those in texts.
func values(text []byte) (n int) {
	inText := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			inText = !inText
		case c == '\\':
			i++
		case !inText && (c == ',' || c == '{' || c == '['):
			n++
		}
	}
	return n
}

// logs returns the claimed entries that are logs, in order.
func (c *contents) logs() (out []Entry) {
	for _, e := range c.claim.Entries {
		if x := c.entries[e.Index]; x != nil && x.Action == journal.Insert && c.concerns(e.Index) {
			out = append(out, e)
		}
	}
	return out
}

// concerns reports whether a log is what the bundle is about. In a bundle of all entries
// between two times, logs of other times and other users are not.
func (c *contents) concerns(index uint64) bool {
	return c.within(index) && c.claim.About.ofUser(c.entries[index])
}

// within reports whether an entry has a time between the two times of the claim, or the claim has none.
func (c *contents) within(index uint64) bool { return c.claim.About.has(c.entries[index].Time) }

// proved returns the time up to which the bundle has all entries of the interval that it is about: its end or, if the
// log ends before, the time of the last entry. The checkpoint may be old, and the log have more entries since.
func (c *contents) proved() time.Time {
	a, size := c.claim.About, c.checkpoint.size
	if a.First+a.Count < size || !c.entries[size-1].Time.Before(*a.To) {
		return *a.To
	}
	return c.entries[size-1].Time
}

// Failure is a reason why a bundle does not hold.
type Failure struct{ Member, Problem string }

func (f *Failure) Error() string {
	if f.Member == "" {
		return f.Problem
	}
	return f.Member + ": " + f.Problem
}

func fail(member, format string, args ...any) *Failure {
	return &Failure{member, fmt.Sprintf(format, args...)}
}
