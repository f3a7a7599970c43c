package service

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/evidence"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/vocabulary"
)

// MaxCaseFileLogs is how many logs a case file has at most: more is no document for people.
const MaxCaseFileLogs = 1000

// CaseFileScope says what a case file is about: logs, something and what names it, words that somebody said, something and
// its causes, or a range of time. The first of these that is set counts.
type CaseFileScope struct {
	Logs     []string
	From, To time.Time
	Robots   []string // with a range of time: only these
	IRI      string
	Why      string
	Words    string
	Said     []rdf.Quad // with Words: the texts of the messages that have them
}

// CaseFile is what a case file is made of.
type CaseFile struct {
	Scope      CaseFileScope
	By         auth.Actor
	Reason     string
	Made       time.Time
	Entry      uint64 // number of its journal entry
	Bundle     []byte
	SHA256     string // of Bundle
	Record     *evidence.Record
	Removed    []journal.Numbered // entries that removed logs, newest first; at most MaxRemovals of a kind
	Describing int                // logs that are here because they describe models and names
}

// Number is the number of the case file: the day, and the index of its journal entry.
func (c *CaseFile) Number() string {
	return c.Made.Format("2006-01-02") + "/" + strconv.FormatUint(c.Entry-1, 10)
}

// MakeCaseFile makes an evidence bundle of all logs in a scope, and enters in the journal who asked for it
// and why. The error is an *Error if the scope has no log or too many, or without a reason.
func (s *Service) MakeCaseFile(ctx context.Context, actor auth.Actor, scope CaseFileScope, reason string) (*CaseFile, error) {
	reason = strings.TrimSpace(reason)
	if !isLine(reason, MaxReason) {
		return nil, refuse(Invalid, "say why you need the case file, in 1 to %d characters and on one line", MaxReason)
	}
	if err := s.checkReason(reason); err != nil {
		return nil, err
	}
	logs, err := s.CaseFileLogs(ctx, scope)
	if err != nil {
		return nil, err
	}
	describing, err := s.describingLogs(ctx, logs)
	if err != nil {
		return nil, err
	}
	text, err := s.Prove(ctx, actor, evidence.About{Logs: slices.Concat(logs, describing)})
	if err != nil {
		return nil, err
	}
	bundle, err := io.ReadAll(text)
	if closed := text.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, ofBundle(err)
	}
	sum := sha256.Sum256(bundle)
	defer s.withholding()()
	e := s.entry(ctx, actor, journal.CaseFile, "")
	c := &CaseFile{Scope: scope, By: actor, Reason: reason, Made: e.Time, Bundle: bundle, SHA256: hex.EncodeToString(sum[:]), Describing: len(describing)}
	if c.Record, err = evidence.ReadRecord(bytes.NewReader(bundle), int64(len(bundle))); err != nil {
		return nil, fmt.Errorf("read the bundle of a case file: %w", err)
	}
	if c.Removed, err = s.removals(ctx, 0); err != nil {
		return nil, err
	}
	if s.namesForgotten(scope.IRI, scope.Why, reason) {
		return nil, refuse(Conflict, "this names somebody who was erased")
	}
	e.Subject, e.Detail, e.Number = scope.IRI+scope.Why, reason+" (bundle "+c.SHA256+")", &c.Entry
	if err := s.config.Journal.Note(ctx, e); err != nil {
		return nil, fmt.Errorf("enter a case file in the journal: %w", err)
	}
	return c, nil
}

// CaseFileStands reports whether nothing was removed from the store since a case file was made. If something
// was, the service must not keep the case file, which may contain it.
func (s *Service) CaseFileStands(ctx context.Context, c *CaseFile) (bool, error) {
	removed, err := s.removals(ctx, c.Record.Size) // the bundle has the log as it was then, before the case file's entry
	return len(removed) == 0, err
}

// MaxRemovals limits the entries of each action in CaseFile.Removed.
const MaxRemovals = 100

// removals returns the entries after a number that removed logs or people, newest first. After 0 it returns at most
// MaxRemovals of each action; after another number, only the first.
func (s *Service) removals(ctx context.Context, after uint64) (out []journal.Numbered, err error) {
	f := journal.Filter{Any: []journal.Action{journal.Withdraw, journal.WithdrawContexts, journal.Erasure, journal.Expire, journal.Clear, journal.Remove, journal.Restore}, Limit: MaxRemovals}
	n := map[journal.Action]int{}
	if after > 0 {
		f.Oldest, f.After, f.Limit = true, after, 1
	}
	for more := true; more; {
		page, err := s.Logs(ctx, f, nil)
		if err != nil {
			return nil, err
		}
		for _, e := range page.Entries {
			if n[e.Action]++; n[e.Action] <= MaxRemovals {
				out = append(out, e)
			}
		}
		f.Any = slices.DeleteFunc(f.Any, func(a journal.Action) bool { return n[a] >= MaxRemovals })
		enough := len(f.Any) == 0 || after > 0 && len(out) > 0
		f.Before, more = page.Next, page.Next != 0 && !enough
		if f.Oldest { // the next page is after Next, not before it
			f.Before, f.After = 0, page.Next
		}
	}
	return out, nil
}

// CaseFileLogs returns the ids of the logs in a scope. The error is an *Error if there are none or too many.
func (s *Service) CaseFileLogs(ctx context.Context, scope CaseFileScope) ([]string, error) {
	if len(scope.Logs) > 0 {
		for _, id := range scope.Logs { // the error says which does not exist
			if _, err := s.Log(ctx, id, 0); err != nil {
				return nil, err
			}
		}
		return fewLogs(slices.Compact(slices.Sorted(slices.Values(scope.Logs))))
	}
	if scope.IRI != "" && rdf.IsIRI(scope.IRI) {
		return s.logsAbout(ctx, scope.IRI)
	}
	if scope.Words != "" && scope.Why == "" {
		ids, err := s.logsWith(ctx, scope.Said, time.Time{})
		if err != nil {
			return nil, err
		}
		return fewLogs(ids)
	}
	query, err := scope.query()
	if err != nil {
		return nil, err
	}
	ids, err := s.logsOf(ctx, query, scope.From)
	if err != nil {
		return nil, err
	}
	return fewLogs(ids)
}

// logsAbout returns the ids of the logs that name something, and of those of what robots did about it.
func (s *Service) logsAbout(ctx context.Context, iri string) ([]string, error) {
	names, err := s.namesOf(iri)
	if err != nil {
		return nil, err
	}
	var selection store.Selection
	for _, name := range names {
		selection.Naming = append(selection.Naming, rdf.NewIRI(name))
	}
	reactions, err := s.logsOf(ctx, withEnd("?x a ?class", valuesOf(names)+" ?x "+aboutPerson+" ?me . ?x a ?class"), time.Time{})
	if err != nil {
		return nil, err
	}
	found, err := s.config.Journal.Select(ctx, selection, MaxCaseFileLogs+1)
	if err != nil {
		return nil, fmt.Errorf("find the logs of a case file: %w", err)
	}
	ids := idsOf(found)
	for _, id := range reactions {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return fewLogs(ids)
}

// fewLogs returns ids, or an *Error if there are none or more than MaxCaseFileLogs.
func fewLogs(ids []string) ([]string, error) {
	switch {
	case len(ids) == 0:
		return nil, refuse(NotFound, "no log is about this: there is nothing to make a case file of")
	case len(ids) > MaxCaseFileLogs:
		return nil, refuse(Invalid, "this concerns more than %d logs, which nobody reads as a document; choose less time, one robot or one person", MaxCaseFileLogs)
	}
	return ids, nil
}

// idsOf returns the distinct ids of the logs that entries inserted.
func idsOf(entries []journal.Numbered) (ids []string) {
	seen := map[string]bool{}
	for _, e := range entries {
		if e.Seq != 0 && e.LogID != "" && e.Action == journal.Insert && !seen[e.LogID] {
			seen[e.LogID] = true
			ids = append(ids, e.LogID)
		}
	}
	return ids
}

// logsOf returns the ids of logs that contributed the triples of a CONSTRUCT, see logsWith.
func (s *Service) logsOf(ctx context.Context, query string, since time.Time) ([]string, error) {
	q, err := s.Prepare(ctx, Query{Text: query})
	if err != nil {
		return nil, err
	}
	var quads []rdf.Quad
	err = s.Ask(ctx, q, query, nil, func(t rdf.Triple) error {
		if quads = append(quads, t.In(rdf.Term{})); len(quads) > evidence.MaxTriples {
			return errManyLogs
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s.logsWith(ctx, quads, since)
}

var errManyLogs = refuse(Invalid, "this concerns more than %d logs; choose less", MaxCaseFileLogs)

// logsWith returns the ids of logs that contributed triples: the first of each.
func (s *Service) logsWith(ctx context.Context, quads []rdf.Quad, since time.Time) ([]string, error) {
	if len(quads) > evidence.MaxTriples {
		return nil, errManyLogs
	}
	found, err := s.config.Journal.Origins(ctx, quads, since, math.MaxInt)
	if err != nil {
		return nil, fmt.Errorf("find the logs of a case file: %w", err)
	}
	return idsOf(found), nil
}

// aboutPerson is a path to a person from what robots did about what the person said, felt or did.
const aboutPerson = "schema:about/schema:about|prov:wasDerivedFrom/schema:sender|segb:triggeredByEntity/(schema:sender|oa:hasTarget)|" +
	"segb:triggeredByActivity/(((^prov:wasGeneratedBy|prov:generated)/schema:sender)|(segb:producedEntityResult/oa:hasTarget)|(schema:about/schema:about))"

// withEnd returns the CONSTRUCT of some triples of ?x where a pattern matches, and of how ?x ended, which may be in another log.
func withEnd(triples, pattern string) string {
	const end = "?x schema:actionStatus ?status"
	return prologue + "CONSTRUCT { " + triples + " . " + end + " } { " + pattern + " OPTIONAL { " + end + " } }"
}

// causes is a path from something to what caused it, and to what that is part of.
const causes = "(prov:wasGeneratedBy|^prov:generated|^segb:producedEntityResult|segb:triggeredByActivity|segb:triggeredByEntity|" +
	"prov:wasInformedBy|prov:wasDerivedFrom|prov:wasInfluencedBy)"

// query returns a CONSTRUCT of triples that only the logs in the scope have.
func (c *CaseFileScope) query() (string, error) {
	bound := func(op string, t time.Time) string { // a time without a zone counts as UTC
		at := t.UTC().Format("2006-01-02T15:04:05.999999999")
		return fmt.Sprintf(`(?t %s "%sZ"^^<%[3]s> || ?t %[1]s "%[2]s"^^<%[3]s>)`, op, at, rdf.XSDDateTime)
	}
	switch {
	case c.Why != "" && rdf.IsIRI(c.Why):
		return withEnd("?x a ?class", "<"+c.Why+"> "+causes+"* ?x . ?x a ?class . { ?x prov:startedAtTime ?t } UNION { ?x prov:wasGeneratedBy ?by }"), nil
	case c.From.Before(c.To) && !slices.ContainsFunc(c.Robots, func(iri string) bool { return !rdf.IsIRI(iri) }):
		robots := ""
		if len(c.Robots) > 0 {
			robots = "VALUES ?robot { <" + strings.Join(c.Robots, "> <") + "> } ?x segb:wasPerformedBy|prov:wasAttributedTo ?robot ."
		}
		return withEnd("?x ?at ?t", robots+" VALUES ?at { prov:startedAtTime prov:generatedAtTime } ?x ?at ?t FILTER("+bound(">=", c.From)+" && "+bound("<", c.To)+")"), nil
	}
	return "", refuse(Invalid, "say what the case file is about: logs, a session, something that a robot did, a person, or words")
}

// describingLogs returns the logs that name and describe the robots, people and models in some logs, if
// these do not do so themselves.
func (s *Service) describingLogs(ctx context.Context, ids []string) ([]string, error) {
	named, wanted := map[string]bool{}, map[string]bool{}
	for _, id := range ids {
		log, err := s.Log(ctx, id, evidence.MaxTriples)
		if err != nil {
			return nil, err
		}
		for _, q := range log.Quads {
			switch q.P.Value() {
			case vocabulary.RDFSLabel, vocabulary.SchemaName, vocabulary.FOAFFirstName:
				named[q.S.Value()] = true
			case vocabulary.SegbUsedMLModel, vocabulary.SegbWasPerformedBy, vocabulary.SchemaSender, vocabulary.SchemaRecipient, vocabulary.OAHasTarget:
				wanted[q.O.Value()] = q.O.IsIRI() && rdf.IsIRI(q.O.Value())
			}
		}
	}
	values := ""
	for iri, is := range wanted {
		if is && !named[iri] {
			values += " <" + iri + ">"
		}
	}
	if values == "" {
		return nil, nil
	}
	found, err := s.logsOf(ctx, prologue+"CONSTRUCT { ?x ?p ?v . ?run ?how ?x . ?eval ?score ?n } { VALUES ?x {"+values+" } { VALUES ?p { rdfs:label schema:name foaf:firstName schema:version } ?x ?p ?v }"+
		" UNION { VALUES ?how { <"+vocabulary.MLSHasOutput+"> } ?run ?how ?x } UNION { ?r <"+vocabulary.MLSHasOutput+"> ?x, ?eval . VALUES ?score { <"+vocabulary.MLSHasValue+"> } ?eval ?score ?n } }", time.Time{})
	return slices.DeleteFunc(found, func(id string) bool { return slices.Contains(ids, id) }), err
}
