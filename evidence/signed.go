package evidence

import (
	"bytes"
	"cmp"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"strings"
	"time"

	"github.com/segraph/segraph/internal/coding"
	"github.com/segraph/segraph/internal/httpsig"
	"github.com/segraph/segraph/internal/strictjson"
	"github.com/segraph/segraph/store/format"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/publickey"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/rdf/canon"
	"github.com/segraph/segraph/store/turtle"
)

// signature is the signature of the request that sent a log or an observation.
type signature struct {
	public  ed25519.PublicKey
	value   []byte
	base    string
	created time.Time
	request httpsig.Request // what was signed

	body   []byte          // as kept; nil if the bundle does not have it
	listed *journal.Listed // the body, if the request was signed over a list and it can be read
	// document is the text of the log in body. It is nil if the program does not know how
	// to find it there.
	document []byte
	format   turtle.Format
	unread   bool               // the document is not compared with the bundle, because it is JSON-LD
	object   *strictjson.Object // a body in JSON
}

// text returns the member with the signature, without the body: the key and the signature
// in base64, each on a line, and the signature base.
func (s *signature) text() []byte {
	return fmt.Appendf(nil, "%s\n%s\n%s", base64.StdEncoding.EncodeToString(s.public), base64.StdEncoding.EncodeToString(s.value), s.base)
}

// parseSignature parses a member with a signature: the key and the signature in base64, each on a
// line, and the signature base.
func parseSignature(text []byte) (*signature, error) {
	lines := strings.SplitN(string(text), "\n", 3)
	if len(lines) < 3 {
		return nil, errors.New("it is not a key, a signature and a signature base")
	}
	public, err := base64.StdEncoding.Strict().DecodeString(lines[0])
	value, err2 := base64.StdEncoding.Strict().DecodeString(lines[1])
	if err != nil || err2 != nil || len(public) != ed25519.PublicKeySize || len(value) != ed25519.SignatureSize {
		return nil, errors.New("its key or its signature is not valid for Ed25519")
	}
	if err := publickey.Check(public); err != nil {
		return nil, err
	}
	parsed, request, err := httpsig.ParseBase(lines[2])
	if err != nil {
		return nil, err
	}
	if id := journal.IDOf(public).String(); parsed.KeyID != id {
		return nil, fmt.Errorf("it names the key %.50q, and has the key %s", parsed.KeyID, id)
	}
	return &signature{public: public, value: value, base: lines[2], created: parsed.Created, request: request}, nil
}

// proves returns nil if the signature shows that its key sent the log or the observation of
// an entry. Otherwise the error says why not.
func (s *signature) proves(e *journal.Entry) error {
	kept := journal.Signature{Base: s.base, Value: [ed25519.SignatureSize]byte(s.value)}
	path, what := "/ttl", "a log"
	observed := e.Action == journal.Resolve
	if observed {
		path, what = "/shared-context/resolve", "an observation"
	}
	if s.request.List {
		path = "/batch"
	}
	switch {
	case e.Action != journal.Insert && !observed || e.Signer != journal.IDOf(s.public).String() || e.SignatureHash != kept.Hash():
		return errors.New("it is not the one that its entry commits to")
	case !ed25519.Verify(s.public, []byte(s.base), s.value):
		return errors.New("the key has not signed it")
	case s.request.Method != "POST" || !strings.HasSuffix(s.request.Path, path):
		return fmt.Errorf("it signs a request that does not send %s: %s %.200s", what, s.request.Method, s.request.Path)
	}
	return nil
}

// signs returns nil if the body is what was signed, or an error that says why it is not.
func (s *signature) signs(body []byte) error {
	digest := httpsig.NewDigest
	if s.request.List {
		l, err := journal.ParseListed(body)
		if err != nil {
			return err
		}
		digest, body = httpsig.NewListDigest, l.List
	}
	d, err := digest(s.request.Header)
	if err != nil {
		return err
	}
	_, _ = d.Write(body) // never fails
	return d.Check()
}

// bodyFormats are the formats of bodies that are read. They belong to the bundle's format. JSON-LD is missing, since its contexts may be those of the service.
var bodyFormats = map[string]turtle.Format{
	"application/json":      turtle.Turtle, // its member ttl_content
	"text/turtle":           turtle.Turtle,
	"application/n-triples": turtle.NTriples,
	"application/rdf+xml":   turtle.RDFXML,
}

// observes reports whether the body is an observation of the kind and the robot that an
// entry names, as far as the program can read it.
func (s *signature) observes(e *journal.Entry) bool {
	if s.object == nil {
		return true
	}
	kind, robot := s.object.OptionalText("event_kind"), cmp.Or(s.object.OptionalText("robot_uri"), s.object.OptionalText("robot"))
	return (strings.ToLower(strings.TrimSpace(kind)) == e.Kind || isHidden(e, journal.What)) && strings.TrimSpace(robot) == e.Robot
}

// open finds the document in the body: decompressed, or the line of a batch, or a member of JSON. It reads at most
// limit bytes and returns how many it has read.
func (s *signature) open(limit int64) int64 {
	h := s.request.Header
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if s.request.List {
		kind = "application/json" // of each line
		if s.listed, err = journal.ParseListed(s.body); err != nil {
			return 0
		}
	}
	known := false
	s.format, known = bodyFormats[kind]
	s.unread = kind == "application/ld+json"
	if err != nil || !known && !s.unread {
		return 0
	}
	text := s.body
	if s.listed != nil {
		text = s.listed.Line
	} else if c := h.Get("Content-Encoding"); c == coding.Gzip || c == coding.Zstd {
		in := coding.NewReader(c, bytes.NewReader(s.body))
		defer in.Close()
		if text, err = io.ReadAll(io.LimitReader(in, limit+1)); err != nil {
			return int64(len(text))
		}
	} else if c != "" {
		return 0
	}
	if int64(len(text)) > limit {
		return limit
	}
	if s.document = text; kind == "application/json" {
		o, err := strictjson.Parse(text)
		if err == nil {
			s.object = o
			if s.unread = s.listed != nil && o.Raw("graph") != nil; s.unread { // JSON-LD; the whole line is the document
				return int64(len(text))
			}
			s.document = []byte(o.Text("ttl_content"))
			err = o.Err()
		}
		if err != nil {
			s.document = nil
		}
	}
	return int64(len(text))
}

// Limits of a signed document, so that a small one can't fill the memory: with prefixes, a
// few bytes are a long IRI.
const (
	maxRead  = 4 * MaxBytes // bytes of all terms that are read, also those of repeated triples
	maxSteps = 100_000      // to canonicalize it; a service takes at most 20,000
)

var errLarge = errors.New("the signed document is too large")

// graph returns the canonical N-Quads of the document, as an entry with that algorithm
// commits to them.
func (s *signature) graph(algorithm string) ([]byte, error) {
	var quads []rdf.Quad
	seen, left := map[rdf.Quad]bool{}, maxRead
	const depth = 1000 // the service's limit
	for in := format.NewReader(bytes.NewReader(s.document), s.format, turtle.Options{MaxDepth: depth}); ; {
		q, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("reading a signed document: %w", err)
		}
		q.O = q.O.Fold()
		if !seen[q] {
			seen[q] = true
			quads = append(quads, q)
		}
		left -= len(q.S.Value()) + len(q.P.Value()) + len(q.O.Value()) + len(q.O.Datatype())
		if left < 0 || len(quads) > MaxTriples {
			return nil, errLarge
		}
	}
	return canonical(quads, algorithm)
}

// canonical returns the canonical N-Quads of a log, whose language tags are in lower case.
func canonical(quads []rdf.Quad, algorithm string) ([]byte, error) {
	if algorithm == canon.BasicName {
		quads, _ = canon.Basic(quads)
	}
	return canon.NQuads(quads, canon.Options{Steps: maxSteps})
}

// decodeSignatures decodes the signatures and bodies of a bundle. It decompresses bodies
// up to MaxBytes in total, and leaves the others unread.
func (m members) decodeSignatures(c *contents) error {
	left := int64(MaxBytes)
	for _, i := range m.indexed(signaturesFolder, "") {
		name := nameOf(signaturesFolder, i, "")
		s, err := parseSignature(m[name])
		if err != nil {
			return fail(name, "%v", err)
		}
		if body, has := m[nameOf(bodiesFolder, i, "")]; has {
			s.body = body
			left -= s.open(left)
		}
		c.signatures[i] = s
	}
	return nil
}

// signed checks the signatures of robots. Each must be the one that its entry commits to.
// The signed body must be the document that the entry commits to, and must say what the
// bundle shows.
func (v *verifier) signed() {
	for _, i := range v.members.indexed(bodiesFolder, "") {
		if v.signatures[i] == nil {
			v.fail(nameOf(bodiesFolder, i, ""), "it has no signature")
		}
	}
	sent := map[string]string{} // the log that came with a signature
	for _, c := range v.claim.Entries {
		e, s, name := v.entries[c.Index], v.signatures[c.Index], nameOf(signaturesFolder, c.Index, "")
		if e == nil || s == nil {
			continue
		}
		if err := s.proves(e); err != nil {
			v.fail(name, "%v", err)
			continue
		}
		if log, has := sent[s.part()]; has && log != e.LogID {
			v.fail(name, "the log %s has the same signature: one request was stored twice", log)
		}
		sent[s.part()] = e.LogID
		if s.body == nil {
			continue
		}
		name = nameOf(bodiesFolder, c.Index, "")
		if err := s.signs(s.body); err != nil {
			v.fail(name, "%v", err)
		} else if e.Action == journal.Resolve && !s.observes(e) {
			v.fail(name, "it is not an observation of the robot and the kind that entry %d names", c.Index)
		} else if e.Action == journal.Insert && e.Part == 0 && e.Commitment != "" && len(c.Salt) != len(journal.Salt{}) {
			v.fail(name, "the claim lacks the salt with which to compare it with entry %d", c.Index)
		} else if !v.canCompare(c) {
			continue
		} else if journal.Salt(c.Salt).Commit(s.document) != e.Commitment {
			v.fail(name, "its document is not the one that entry %d commits to", c.Index)
		} else if shown, has := v.graphs[c.Index]; has && !s.unread {
			if said, err := s.graph(e.Canon); err != nil || !bytes.Equal(said, shown) {
				v.fail(name, "it does not say what is in graphs/%d%s", c.Index, graphSuffix)
			}
		}
	}
}

// part returns what identifies a request or, if the signature is over a list of lines,
// what identifies one line.
func (s *signature) part() string {
	switch {
	case !s.request.List:
		return string(s.value)
	case s.listed == nil: // which line it was is not known
		return fmt.Sprintf("%p", s)
	}
	return fmt.Sprintf("%s %d", s.value, s.listed.Index)
}

// unsure reports whether the bundle shows what a log said, but the log's signature may be
// for other content.
func (c *contents) unsure(item Entry) bool {
	s, shown := c.signatures[item.Index], c.graphs[item.Index] != nil
	return shown && s != nil && (!c.canCompare(item) || s.unread)
}

// canCompare reports whether the document of a signed log can be compared with its entry.
func (c *contents) canCompare(item Entry) bool {
	s := c.signatures[item.Index]
	return s != nil && s.document != nil && c.entries[item.Index].Part == 0 && len(item.Salt) == len(journal.Salt{})
}
