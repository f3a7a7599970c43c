package evidence

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/internal/counting"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/log/translog"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/rdf/canon"
)

// Journal finds logs. *provenance.Provenance implements it.
type Journal interface {
	Log(ctx context.Context, id string, limit int) (store.Log, error)
	Part(ctx context.Context, n journal.Numbered, limit int) (quads []rdf.Quad, ok bool, err error)
	Origins(ctx context.Context, quads []rdf.Quad, since time.Time, limit int) ([]journal.Numbered, error)
}

// Log is the transparency log. *translog.Log implements it.
type Log interface {
	Excerpt(ctx context.Context, do func(*translog.Excerpt) error) error
}

// Request says what a bundle is to prove.
type Request struct {
	About About  // without First and Count
	By    string // the user for whom the bundle is made
	Now   time.Time
	// MaxBytes limits the size of all members except the page; 0 means the constant MaxBytes.
	MaxBytes int64
	// Ask answers a CONSTRUCT or DESCRIBE over the published graph.
	Ask func(ctx context.Context, query string, triple func(rdf.Triple) error) error
}

// Errors that Make may return, in addition to those of its Journal and its Log.
var (
	ErrNothing = errors.New("there is nothing to prove: no log and no decision is about this")
	ErrTooMuch = fmt.Errorf("a bundle has at most %d logs, %d triples, %d entries and %d MiB; ask for less", MaxLogs, MaxTriples, MaxEntries, MaxBytes>>20)
)

// Bundle is a bundle in memory.
type Bundle struct{ members members }

// WriteTo writes the bundle as a zip file.
func (b *Bundle) WriteTo(w io.Writer) (int64, error) {
	to := &counting.Writer{W: w}
	err := b.members.zipped(to)
	return to.N, err
}

// Source makes the bundles of a store.
type Source struct {
	Journal Journal
	Log     Log
}

// Bundle makes a bundle; see Make.
func (s *Source) Bundle(ctx context.Context, r Request) (io.WriterTo, error) {
	b, err := Make(ctx, s.Journal, s.Log, r)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// maker makes one bundle.
type maker struct {
	Request
	ctx     context.Context
	journal Journal
	log     *translog.Excerpt
	triples []rdf.Triple // what is claimed

	members   members
	size      int64
	claim     Claim
	logs      map[string]*made          // by log id
	said      map[uint64]said           // by the index of its entry, if the bundle has it
	mentioned map[string]bool           // IRIs in the logs
	contexts  map[string]bool           // contexts whose observations belong to the bundle, as JSON
	signers   map[string]bool           // ids of the keys that signed logs
	shown     map[uint64]journal.Groups // groups that the bundle shows, by index
}

// made is a log in a bundle.
type made struct {
	entries []uint64 // indexes of its entries
	kept    bool
}

// said is what an entry of a log said.
type said struct {
	labels map[string]string // canonical labels of its blank nodes
	basic  bool              // its canonical form is that of its basic encoding
}

// Make makes a bundle. The error may be ErrNothing, ErrTooMuch or store.ErrNoLog.
func Make(ctx context.Context, j Journal, l Log, r Request) (*Bundle, error) {
	if r.MaxBytes == 0 {
		r.MaxBytes = MaxBytes
	}
	m := &maker{Request: r, ctx: ctx, journal: j, members: members{}, logs: map[string]*made{}, said: map[uint64]said{}, mentioned: map[string]bool{}, contexts: map[string]bool{}, signers: map[string]bool{}, shown: map[uint64]journal.Groups{}}
	err := r.About.Check()
	if err == nil {
		err = m.find(l)
	}
	if err == nil {
		err = l.Excerpt(ctx, func(x *translog.Excerpt) error {
			m.log = x
			return m.make()
		})
	}
	if err != nil {
		return nil, fmt.Errorf("making an evidence bundle: %w", err)
	}
	return &Bundle{m.members}, nil
}

// make adds to the bundle, in this order, what it is about, the logs that said that, and what happened to these logs
// since.
func (m *maker) make() error {
	m.claim = Claim{Format: bundleFormat, Origin: m.log.Origin, Made: m.Now.UTC(), By: m.By, About: m.About}
	for _, step := range []func() error{m.addInterval, m.addCase, m.addLogs, m.addTriples, m.addOthers} {
		if err := step(); err != nil {
			return err
		}
	}
	if len(m.logs) == 0 && m.About.From == nil && !slices.ContainsFunc(m.claim.Entries, m.isAbout) {
		return ErrNothing
	}
	return m.finish()
}

// isAbout reports whether an entry is a reason to make a bundle. The log's keys are not.
func (m *maker) isAbout(e Entry) bool {
	x, err := journal.Parse(m.members[nameOf(entriesFolder, e.Index, "")])
	return err == nil && !isKey(&x)
}

func (m *maker) add(name string, b []byte) error {
	m.members[name] = b
	if m.size += int64(len(b)); m.size > m.MaxBytes {
		return ErrTooMuch
	}
	return nil
}

// Groups that a bundle shows of an entry.
var (
	openNothing = journal.Groups(0)
	openWho     = journal.GroupsOf(journal.Who)
	whoAndWhat  = journal.GroupsOf(journal.Who, journal.What)
)

// entry adds an entry with its proof, if the bundle does not have it yet, and shows some
// of its groups.
func (m *maker) entry(index uint64, show journal.Groups) (e journal.Entry, err error) {
	name := nameOf(entriesFolder, index, "")
	stored, e, err := m.log.Entry(index)
	m.shown[index] |= show
	if err != nil || m.members[name] != nil {
		return e, err
	}
	if len(m.claim.Entries) == MaxEntries {
		return e, ErrTooMuch
	}
	proof, err := m.log.Proof(index)
	if err != nil {
		return e, err
	}
	m.claim.Entries = append(m.claim.Entries, Entry{Index: index})
	if err := errors.Join(m.add(name, stored), m.add(nameOf(proofsFolder, index, ""), []byte(proof))); err != nil {
		return e, err
	}
	if e.Action == journal.Resolve {
		err = m.addSignature(index, &e)
	}
	return e, err
}

// claimed returns the part of the claim that is about an entry of the bundle.
func (m *maker) claimed(index uint64) *Entry {
	i := slices.IndexFunc(m.claim.Entries, func(e Entry) bool { return e.Index == index })
	return &m.claim.Entries[i]
}

// addLogs adds the logs that were asked for by their ids.
func (m *maker) addLogs() error {
	for _, id := range m.About.Logs {
		if err := m.addLog(id); err != nil {
			return err
		}
	}
	return nil
}

// addLog adds a log: its entries, their signatures and, where it is known completely, what they said. Once half of the
// bundle is full, it leaves out what entries of a long load said.
func (m *maker) addLog(id string) error {
	if m.logs[id] != nil {
		return nil
	}
	if len(m.logs) == MaxLogs {
		return ErrTooMuch
	}
	log, err := m.journal.Log(m.ctx, id, MaxTriples)
	if err == nil && len(log.Entries) == 0 {
		err = store.ErrNoLog
	}
	if err != nil {
		return err
	}
	added := &made{kept: log.Kept}
	m.logs[id] = added
	for _, numbered := range log.Entries {
		index := numbered.Index()
		e, err := m.entry(index, openWho)
		if err != nil {
			return err
		}
		added.entries = append(added.entries, index)
		quads, known := log.Quads, log.Kept && log.Total == int64(len(log.Quads))
		if e.Part > 0 {
			quads, known = nil, false
			if m.size < m.MaxBytes/2 {
				if quads, known, err = m.journal.Part(m.ctx, numbered, int(m.MaxBytes/bytesOfQuad)); err != nil {
					return err
				}
			}
		}
		if err := m.addGraph(index, &e, quads, known); err != nil {
			return err
		}
		if err := m.addSignature(index, &e); err != nil {
			return err
		}
	}
	return nil
}

// bytesOfQuad is how much of MaxBytes a quad of a part counts for, before its text is made.
const bytesOfQuad = 256

// addGraph adds the canonical N-Quads of a log or a part, the entry with an index, if they are known and the entry
// commits to them, and notes which IRIs they mention.
func (m *maker) addGraph(index uint64, e *journal.Entry, quads []rdf.Quad, known bool) error {
	for i := range quads {
		for _, t := range [...]rdf.Term{quads[i].S, quads[i].O} {
			if t.IsIRI() {
				m.mentioned[t.Value()] = true
			}
		}
	}
	salt, has := e.Salted.Salt(journal.Content)
	if e.Graph == "" || !has || !known {
		return nil
	}
	x := said{basic: e.Canon == canon.BasicName}
	if x.basic {
		quads, _ = canon.Basic(quads)
	}
	text, err := canon.NQuads(quads, canon.Options{})
	if err == nil {
		x.labels, err = canon.Labels(quads, canon.Options{})
	}
	if errors.Is(err, canon.ErrSteps) {
		return nil
	}
	full := e.Part > 0 && m.size+int64(len(text)) > m.MaxBytes*3/4 // parts of a large log leave a quarter for the other members
	if err != nil || full || salt.Commit(text) != e.Graph {
		return err
	}
	m.said[index] = x
	m.claimed(index).Salt = salt[:]
	return m.add(nameOf(graphsFolder, index, graphSuffix), text)
}

// addSignature adds the signature of the request that sent a log or an observation, and its
// body unless it was erased.
func (m *maker) addSignature(index uint64, e *journal.Entry) error {
	if e.SignatureHash == "" || e.Erased.Has(journal.Who) {
		return nil
	}
	kept, err := m.log.Signed(index)
	if errors.Is(err, journal.ErrSignatureErased) {
		return nil
	}
	if err != nil || kept == nil {
		return err
	}
	if m.signers[e.Signer] = true; e.Action == journal.Resolve {
		m.shown[index] |= whoAndWhat
	}
	s := &signature{public: kept.Key.Public, value: kept.Value, base: kept.Base}
	if parsed, err := parseSignature(s.text()); err != nil || strings.Contains(parsed.request.Path, "%") {
		return nil // nobody could verify it; such requests are refused since
	}
	if err := m.add(nameOf(signaturesFolder, index, ""), s.text()); err != nil || kept.Erased {
		return err
	}
	if salt, has := e.Salted.Salt(journal.Content); has {
		m.claimed(index).Salt = salt[:]
	}
	return m.add(nameOf(bodiesFolder, index, ""), kept.Body)
}

// addTriples adds the claimed triples, and a log that said each.
func (m *maker) addTriples() error {
	quads := make([]rdf.Quad, len(m.triples))
	for i, t := range m.triples {
		quads[i] = t.In(rdf.Term{})
	}
	// All logs are searched, as long as the caller waits: a triple without a log is not proved.
	origins, err := m.journal.Origins(m.ctx, quads, time.Time{}, math.MaxInt)
	if err != nil {
		return err
	}
	for i, origin := range origins {
		claimed := Triple{}
		quad, labels := quads[i], map[string]string(nil)
		if origin.Seq != 0 && origin.Seq <= m.log.Size && origin.Action == journal.Insert {
			if err := m.addLog(origin.LogID); err != nil {
				return err
			}
			content := m.said[origin.Seq-1]
			if labels, claimed.Log = content.labels, new(origin.Seq-1); content.basic {
				quad.O = canon.BasicTerm(quad.O)
			}
		}
		if claimed.Text = quads[i].String(); labels != nil {
			claimed.Text = string(canon.AppendQuad(nil, quad, labels))
		}
		claimed.Text = strings.TrimSuffix(claimed.Text, "\n")
		m.claim.Triples = append(m.claim.Triples, claimed)
	}
	for _, i := range m.claim.unsaid(func(log uint64) []byte { return m.members[nameOf(graphsFolder, log, graphSuffix)] }) {
		m.claim.Triples[i].Log = nil // the log's canonical form does not have it
	}
	slices.SortFunc(m.claim.Triples, func(a, b Triple) int { return strings.Compare(a.Text, b.Text) })
	return nil
}
