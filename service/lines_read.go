package service

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/internal/strictjson"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/format"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/vocabulary"
)

// linesAhead is how many lines are read ahead of the one that is being stored.
const linesAhead = 16

// aheadOf reads lines, each when its turn comes. While a second processor is free, another
// goroutine reads up to linesAhead of them ahead.
type aheadOf struct {
	processors *budget.Processors
	read       func() *line  // reads the next line; called by one goroutine at a time
	borrowed   bool          // the other processor
	wanted     chan struct{} // for each line that the other goroutine is to read
	lines      chan *line    // closed at the end
	asked      int           // lines that were wanted and not returned
	left       int           // lines that were not returned
	cancel     func()
}

// readAhead reads the lines of a request. The caller calls stop.
func (s *Service) readAhead(ctx context.Context, b Batched) *aheadOf {
	ctx, cancel := context.WithCancel(ctx)
	var loaded format.Loaded
	n := 0
	a := &aheadOf{processors: s.processors, wanted: make(chan struct{}, linesAhead), lines: make(chan *line, linesAhead), cancel: cancel, left: len(b.Lines)}
	a.read = func() *line {
		n++
		return s.readLine(ctx, b.Lines[n-1], b.Host, &loaded)
	}
	go func() {
		defer close(a.lines)
		defer s.guard(ctx, func() {})
		for {
			select {
			case <-a.wanted:
				a.lines <- a.read()
			case <-ctx.Done():
				return
			}
		}
	}()
	return a
}

// next returns the next line, or nil if it could not be read. The caller asks only for as many
// as there are.
func (a *aheadOf) next() *line {
	if a.borrowed && a.processors.Wanted() {
		a.giveBack()
	} else if !a.borrowed {
		a.borrowed = a.processors.Borrow()
	}
	if a.borrowed && a.asked < linesAhead/2 { // each wake-up costs, so that several are read at once
		for ; a.asked < min(linesAhead, a.left); a.asked++ {
			a.wanted <- struct{}{}
		}
	}
	a.left--
	if a.asked == 0 {
		return a.read()
	}
	a.asked--
	return <-a.lines
}

func (a *aheadOf) giveBack() {
	a.borrowed = false
	a.processors.Leave()
}

// stop ends reading.
func (a *aheadOf) stop() {
	a.cancel()
	for range a.lines { // until the goroutine has ended
	}
	if a.borrowed {
		a.giveBack()
	}
}

// errUnread reports that reading a line panicked.
var errUnread = errors.New("a line could not be read")

// line is a line that was read.
type line struct {
	text        []byte
	document    *reading
	err         error // why it is refused. Without a key, even its first answer is not known
	key, user   string
	graph       []byte // JSON-LD
	about       string
	observed    bool
	observation resolver.Observation
}

// readLine reads a line and its graph. host is the host that the client addressed.
func (s *Service) readLine(ctx context.Context, text []byte, host string, loaded *format.Loaded) *line {
	if len(text) > MaxLine {
		return &line{err: refuse(TooLarge, "the line has %d bytes, and at most %d are allowed; split its graph", len(text), MaxLine).limited("body_size")}
	}
	l, err := readMembers(text)
	if err != nil {
		return &line{err: err}
	}
	o := turtle.Options{CheckIRIs: true, StrictIRIs: s.config.StrictIRIs, Context: ContextsOf(host), MaxDepth: MaxNesting}
	d, err := readAll(ctx, l.graph, turtle.JSONLD, o, format.NewJSONReader(bytes.NewReader(l.graph), o, loaded))
	l.document = d
	switch {
	case err != nil:
		l.err = l.located(err)
	case d.read == 0:
		l.err = refuse(Malformed, "the graph has no triples")
	case d.parsed == nil:
		l.err = refuse(TooLarge, "the graph of a line may have %d triples and terms of %d bytes; send it with POST /ttl, or split it", maxParsedTriples, maxParsedBytes)
	case l.observed && !hasSubject(d.parsed, l.about):
		l.err = faulty("about", "the member \"about\" names no node that has properties in the graph: <%.200s>", l.about)
	}
	return l
}

// readMembers parses the members of a line. The error is an *Error or a *strictjson.Error.
func readMembers(text []byte) (*line, error) {
	o, err := strictjson.Parse(text)
	if err != nil {
		return nil, refuse(Invalid, "the line is %s", strings.Replace(err.Error(), "line 1, ", "", 1))
	}
	o.Only("key", "user", "graph", "observation", "about")
	l := &line{text: text, key: o.Text("key"), graph: o.Raw("graph"), user: o.OptionalText("user"), about: o.OptionalText("about")}
	if !IsKey(l.key) {
		o.Fault("key", "the member \"key\" must be 1 to %d characters from space to ~, new for each line", MaxKey)
	}
	if l.graph == nil {
		o.Fault("graph", "the member \"graph\" is missing; it is JSON-LD, an object or an array")
	}
	if err := auth.CheckName(l.user); err != nil {
		o.Fault("user", "the user is %v", err)
	}
	observation := o.Raw("observation")
	l.observed = observation != nil
	switch {
	case l.observed && !rdf.IsIRI(l.about):
		o.Fault("about", "with an observation, the member \"about\" must be the IRI of a node of the graph, which gets the shared context")
	case !l.observed && l.about != "":
		o.Fault("about", "the member \"about\" has a meaning only with an observation")
	}
	if l.observed {
		if l.observation, err = resolver.ReadObservation(observation); err != nil {
			o.Fault("observation", "the member \"observation\": %v", err)
		}
	}
	return l, o.Err()
}

// located says where in the line a syntax error of the graph is.
func (l *line) located(err error) error {
	var syntax *turtle.SyntaxError
	if !errors.As(err, &syntax) || syntax.Line != 1 {
		return err
	}
	before := utf8.RuneCount(l.text[:cap(l.text)-cap(l.graph)]) // l.graph is a slice of l.text, so its capacity says where it begins
	e := refuse(Malformed, "the graph can't be read: column %d: %s", before+syntax.Column, syntax.Msg)
	e.Column = before + syntax.Column
	return e
}

// hasSubject reports whether a document says something about an IRI.
func hasSubject(d *store.Document, iri string) bool {
	t := rdf.NewIRI(iri)
	for _, q := range d.Quads {
		if d.Terms[q[0]] == t {
			return true
		}
	}
	return false
}

var (
	eventClass  = rdf.NewIRI(vocabulary.SchemaEvent)
	typeOf      = rdf.NewIRI(rdf.RDFType)
	aboutWhat   = rdf.NewIRI(vocabulary.SchemaAbout)
	description = rdf.NewIRI(vocabulary.SchemaDescription)
)

// place adds the shared context of the observation to a document: as an event, with what the
// observation says about it, so that reports count it.
func (l *line) place(d *store.Document, context string) {
	event := rdf.NewIRI(context)
	d.Add(rdf.Quad{S: rdf.NewIRI(l.about), P: aboutWhat, O: event})
	d.Add(rdf.Quad{S: event, P: typeOf, O: eventClass})
	if rdf.IsIRI(l.observation.SubjectURI) {
		d.Add(rdf.Quad{S: event, P: aboutWhat, O: rdf.NewIRI(l.observation.SubjectURI)})
	}
	if l.observation.Text != "" {
		d.Add(rdf.Quad{S: event, P: description, O: rdf.NewString(l.observation.Text)})
	}
}
