package evidence

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	formats "github.com/transparency-dev/formats/note"
	"golang.org/x/mod/sumdb/note"

	"github.com/segraph/segraph/store/log/cosignature"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/publickey"
	"github.com/segraph/segraph/store/rdf"
)

// Report is the result of verifying a bundle.
type Report struct {
	Holds    string     // what the bundle proves, in one sentence, if there are no failures
	Failures []*Failure // why it does not hold
	Limits   []string   // what it does not prove, in sentences, if it holds
	// Witnesses says which of the given witnesses cosigned the checkpoint, and when.
	Witnesses []string
	Page      []byte // the page, as computed from the other members; nil if one of these does not hold

	members members
}

// Verify verifies a bundle, or the receipt of an erasure in JSON, with a verifier key, in the form of signed notes,
// that its reader got from somebody they trust. If the log changed its key before a bundle was made, the old key must
// have named the new one. A receipt needs the key that signed it. Each of the witnesses, given by their verifier keys,
// must have cosigned the checkpoint. The error means that r is neither, or that a key is invalid.
func Verify(r io.ReaderAt, size int64, key string, witnesses ...string) (*Report, error) {
	verifiers := make([]*cosignature.Verifier, len(witnesses))
	for i, w := range witnesses {
		var err error
		if verifiers[i], err = cosignature.NewVerifier(w); err != nil {
			return nil, fmt.Errorf("reading the key of a witness: %w", err)
		}
	}
	if _, err := publickey.NewVerifier(key); err != nil {
		return nil, fmt.Errorf("the key must be a log's verifier key, such as segraph/2f03c258ba34a8ca+4bdde963+AZ…: %w", err)
	}
	var first [1]byte
	if _, err := r.ReadAt(first[:], 0); err == nil && first[0] == '{' {
		return verifyErasure(io.NewSectionReader(r, 0, size), key, verifiers)
	}
	out := &Report{}
	m, now, err := membersOf(r, size, key)
	if out.Failures = failuresOf(err); err != nil {
		if len(out.Failures) > 0 {
			return out, nil
		}
		return nil, err
	}
	c, err := m.decode()
	if out.Failures = failuresOf(err); err != nil {
		return out, nil
	}
	v := &verifier{contents: c, members: m}
	v.proofs(now)
	v.contentsOfLogs()
	v.signed()
	v.claims()
	for _, w := range verifiers {
		out.Witnesses = append(out.Witnesses, v.cosigned(w)...)
	}
	if len(v.failures) == 0 { // so the bundle has all entries that the page mentions
		if out.Page = page(c); out.Page == nil {
			v.fail(pageName, "it would be larger than %d MiB", maxPage>>20)
		} else if line, is, want := difference(m[pageName], out.Page); line > 0 {
			v.fail(pageName, "the page contradicts its proofs: line %d is %q, and the other members say %q", line, is, want)
		}
	}
	if out.Failures = v.failures; len(out.Failures) == 0 {
		out.members = m
		out.Holds, out.Limits = c.holds(), c.limits(len(verifiers) > 0)
	}
	return out, nil
}

// membersOf reads a bundle whose manifest is signed with key, or with a key that key named
// as the next, and returns the log's key now. Until the signature holds, it reads no other
// members than the keys and the manifest. The error joins a *Failure for each member that
// differs.
func membersOf(r io.ReaderAt, size int64, key string) (m members, now string, err error) {
	a, err := openArchive(r, size)
	if err != nil {
		return nil, "", err
	}
	m = members{}
	for _, name := range []string{keysName, manifestName} {
		if m[name], err = a.read(name); err != nil {
			return nil, "", err
		}
	}
	keys, err := parseKeys(m[keysName])
	if err != nil {
		return nil, "", fail(keysName, "%v", err)
	}
	if now, err = follow(keys, key); err != nil {
		return nil, "", err
	}
	listed, err := m.listed(now)
	if err != nil {
		return nil, "", err
	}
	return m, now, errors.Join(a.compare(listed, m), chained(keys))
}

// failuresOf returns the failures that an error joins.
func failuresOf(err error) (out []*Failure) {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range all.Unwrap() {
			out = append(out, failuresOf(err)...)
		}
	} else if f, ok := errors.AsType[*Failure](err); ok {
		out = append(out, f)
	}
	return out
}

// listed returns what the manifest lists, if a key has signed it. The error is a *Failure.
func (m members) listed(key string) (map[string]listing, error) {
	verifier, err := note.NewVerifier(key)
	if err != nil {
		return nil, fail(keysName, "%v", err)
	}
	n, err := note.Open(m[manifestName], note.VerifierList(verifier))
	if err != nil {
		return nil, fail(manifestName, "it was changed: the key %s has not signed it as it is", key)
	}
	if !oneSignature(m[manifestName]) {
		return nil, fail(manifestName, "it was changed: after its text must be one signature")
	}
	return parseManifest(verifier.Name(), n.Text)
}

// oneSignature reports whether a note has one signature, in strict base64.
func oneSignature(signed []byte) bool {
	i := bytes.LastIndex(signed, []byte("\n\n"))
	line, ok := strings.CutSuffix(string(signed[i+2:]), "\n")
	parts := strings.Split(line, " ")
	if !ok || len(parts) != 3 || strings.Contains(line, "\n") {
		return false
	}
	_, err := base64.StdEncoding.Strict().DecodeString(parts[2])
	return err == nil
}

// verifier checks the members of a bundle against each other.
type verifier struct {
	*contents
	members  members
	failures []*Failure
}

func (v *verifier) fail(member, format string, args ...any) {
	v.failures = append(v.failures, fail(member, format, args...))
}

// signedBy checks that the checkpoint is of the log of a key, and signed with it. A failure names member, which has the
// checkpoint, and of, which says whose log it must be.
func (v *verifier) signedBy(key, member, of string) {
	if signer, err := note.NewVerifier(key); err != nil || signer.Name() != v.checkpoint.origin {
		v.fail(member, "it is of another log than %s", of)
	} else if _, err := note.Open(v.checkpoint.signed, note.VerifierList(signer)); err != nil {
		v.fail(member, "the key %s has not signed it", key)
	}
}

// proofs checks the checkpoint, and that the log has all entries.
func (v *verifier) proofs(key string) {
	if of := "the claim or the key"; v.claim.Origin != v.checkpoint.origin {
		v.fail(checkpointName, "it is of another log than %s", of)
	} else {
		v.signedBy(key, checkpointName, of)
	}
	claimed := map[uint64]bool{}
	last := -1
	for _, e := range v.claim.Entries {
		if int(e.Index) <= last {
			v.fail(claimName, "its entries are not in order")
		}
		last = int(e.Index)
		claimed[e.Index] = true
		name := nameOf(entriesFolder, e.Index, "")
		stored, has := v.members[name]
		if !has {
			v.fail(name, "the claim names it, and it is missing")
			continue
		}
		proof := nameOf(proofsFolder, e.Index, "")
		if err := v.checkpoint.proves(e.Index, v.members[proof], stored); err != nil {
			v.fail(proof, "%v", err)
		}
	}
	for name := range v.members {
		folder, _, nested := strings.Cut(name, "/")
		if !nested {
			continue
		}
		known := slices.Contains([]string{"entries", "proofs", "graphs", "signatures", "bodies"}, folder)
		i, ok := indexOf(name, folder+"/", map[string]string{"graphs": graphSuffix}[folder])
		if !known || !ok || !claimed[i] {
			v.fail(name, "the claim does not name it")
		}
	}
}

// cosigned checks that a witness cosigned the checkpoint, and says when.
func (v *verifier) cosigned(w *cosignature.Verifier) []string {
	n, err := note.Open(v.checkpoint.signed, note.VerifierList(w))
	if err != nil {
		v.fail(checkpointName, "the witness %s has not cosigned it", w)
		return nil
	}
	at, err := formats.CoSigV1Timestamp(n.Sigs[0])
	if err != nil {
		v.fail(checkpointName, "the cosignature of %s has no time: %v", w, err)
		return nil
	}
	return []string{w.Name() + " at " + shown(at)}
}

// contentsOfLogs checks that each graph of a log is the one that its entry commits to, and that each entry
// which the claim calls removed was removed by the entry that it names.
func (v *verifier) contentsOfLogs() {
	for _, c := range v.claim.Entries {
		e := v.entries[c.Index]
		if e == nil {
			continue
		}
		name := nameOf(graphsFolder, c.Index, graphSuffix)
		graph, has := v.graphs[c.Index]
		canCompare := e.Action == journal.Insert && e.Graph != "" && len(c.Salt) == len(journal.Salt{})
		switch {
		case has && (!canCompare || journal.Salt(c.Salt).Commit(graph) != e.Graph):
			v.fail(name, "it is not what entry %d commits to", c.Index)
		case !has && c.Salt != nil && v.members[nameOf(bodiesFolder, c.Index, "")] == nil:
			v.fail(name, "the claim has its salt, and it is missing")
		}
		if c.RemovedBy == nil {
			continue
		}
		by := v.entries[*c.RemovedBy]
		removes := by != nil && (by.Action == journal.Clear || by.Action == journal.Withdraw && by.Withdrawn == e.LogID || lessened(by, c.Index))
		if has || !removes || *c.RemovedBy <= c.Index {
			v.fail(claimName, "entry %d was not removed by entry %d", c.Index, *c.RemovedBy)
		}
	}
}

// lessened reports whether an entry of retention or of an erasure names the entry at an index.
func lessened(by *journal.Entry, index uint64) bool {
	ranges, err := journal.ParseRanges(by.Lessened)
	return err == nil && ranges.Has(index)
}

// claims checks what the claim says about the entries.
func (v *verifier) claims() {
	a := v.claim.About
	if err := a.Check(); err != nil {
		v.fail(claimName, "%v", err)
		return
	}
	for _, id := range a.Logs {
		if !slices.ContainsFunc(v.claim.Entries, func(e Entry) bool { x := v.entries[e.Index]; return x != nil && x.LogID == id }) {
			v.fail(claimName, "the bundle has no entry of the log %s", id)
		}
	}
	for _, t := range v.claim.Triples {
		if t.Log == nil {
			continue
		}
		if e := v.entries[*t.Log]; e == nil || e.Action != journal.Insert {
			v.fail(claimName, "entry %d is not a log, and can't have said %.200s", *t.Log, t.Text)
		}
	}
	for _, i := range v.claim.unsaid(func(log uint64) []byte { return v.graphs[log] }) {
		v.fail(claimName, "the log of entry %d did not say %.200s", *v.claim.Triples[i].Log, v.claim.Triples[i].Text)
	}
	v.subject()
	if a.From != nil {
		v.interval()
	}
}

// subject checks that what the claim names is about its IRI or its case.
func (v *verifier) subject() {
	if a := v.claim.About; a.IRI != "" {
		iri := rdf.NewIRI(a.IRI).String()
		for _, t := range v.claim.Triples {
			if !strings.HasPrefix(t.Text, iri+" ") && !strings.HasSuffix(t.Text, " "+iri+" .") {
				v.fail(claimName, "the triple %.200s is not about %.200s", t.Text, a.IRI)
			}
		}
	} else if a.Case != "" && !slices.ContainsFunc(v.claim.Entries, func(e Entry) bool { x := v.entries[e.Index]; return x != nil && x.Case == a.Case }) {
		v.fail(claimName, "no entry is about the review case %.200s", a.Case)
	}
}

// unsaid returns the indexes of the triples that the graph of their log does not contain.
// It reads each graph once. It leaves out triples without a log or a graph.
func (c *Claim) unsaid(graph func(log uint64) []byte) (out []int) {
	wanted := map[uint64]map[string]bool{}
	for _, t := range c.Triples {
		if t.Log == nil || graph(*t.Log) == nil {
			continue
		}
		if wanted[*t.Log] == nil {
			wanted[*t.Log] = map[string]bool{}
		}
		wanted[*t.Log][t.Text] = false
	}
	for log, lines := range wanted {
		for line := range bytes.Lines(graph(log)) {
			text, ended := bytes.CutSuffix(line, []byte("\n"))
			if _, is := lines[string(text)]; is && ended && bytes.HasSuffix(text, []byte(" .")) {
				lines[string(text)] = true
			}
		}
	}
	for i, t := range c.Triples {
		if t.Log != nil && wanted[*t.Log] != nil && !wanted[*t.Log][t.Text] {
			out = append(out, i)
		}
	}
	return out
}

// interval checks that the bundle has all entries between two times, as far as the log has them; see contents.proved.
func (v *verifier) interval() {
	a := v.claim.About
	end := a.First + a.Count
	if size := v.checkpoint.size; a.Count > MaxEntries || a.First > size || end > size || size == 0 {
		v.fail(claimName, "its entries are not an interval of the log")
		return
	}
	for i := a.First; i < end; i++ {
		if v.entries[i] == nil {
			v.fail(claimName, "entry %d lies between the two times, and the bundle does not have it", i)
		}
	}
	for _, c := range v.claim.Entries {
		outside := c.Index-a.First >= a.Count // also if it is before First, since the difference wraps
		if e := v.entries[c.Index]; e != nil && a.has(e.Time) && outside {
			v.fail(claimName, "entry %d has a time between the two, and is outside the interval", c.Index)
		}
	}
	if a.First > 0 {
		if e := v.entries[a.First-1]; e == nil || !e.Time.Before(*a.From) {
			v.fail(claimName, "entry %d must be in the bundle, and from before %s", a.First-1, shown(*a.From))
		}
	}
	if end < v.checkpoint.size {
		if e := v.entries[end]; e == nil || e.Time.Before(*a.To) {
			v.fail(claimName, "entry %d must be in the bundle, and from %s or later", end, shown(*a.To))
		}
	}
}
