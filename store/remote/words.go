package remote

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/results"
)

// A word is a language tag or a datatype, which some servers number: a literal holds the
// number, and the word stands in a table. Where the two come apart, the literal is there
// without its language or datatype. So a word is looked at before the first literal with
// it is told, once for each time that the server is met: it is introduced
// (Dialect.Introduce), told in a literal of its own, and read again. A literal whose word
// does not come back is left out, as others that the server can't have.

const (
	wordProperty = "urn:segraph:word"
	wordsAtOnce  = 50
	maxWords     = 50_000 // that are remembered; more than a server of that kind can number
)

// wordOf returns the literal that a word is told in: the word itself, under its own
// language tag or datatype. It is the zero Term where a literal has no word that could be
// new to the server.
func wordOf(t rdf.Term) rdf.Term {
	if !t.IsLiteral() {
		return rdf.Term{}
	}
	if t.Language() != "" {
		tag := strings.ToLower(t.Language())
		return rdf.NewLang(tag, tag)
	}
	if _, known := rdf.ValidLexical("", t.Datatype()); known {
		return rdf.Term{}
	}
	return rdf.NewLiteral(t.Datatype(), t.Datatype())
}

// learn looks at the words that are new among those of what the server is to be told.
func (s *Store) learn(ctx context.Context, quads []rdf.Quad) error {
	if s.config.Dialect.Introduce == nil {
		return nil
	}
	var fresh []rdf.Term
	asked := map[rdf.Term]bool{}
	for _, q := range quads {
		w := wordOf(s.config.Dialect.out(q.O))
		if _, known := s.words[w]; w.IsZero() || known || asked[w] || s.config.Dialect.refuse(q.O) != "" {
			continue
		}
		asked[w] = true
		fresh = append(fresh, w)
	}
	if s.words == nil || len(s.words)+len(fresh) > maxWords {
		s.words = map[rdf.Term]bool{}
	}
	for part := range slices.Chunk(fresh, wordsAtOnce) {
		if err := s.introduce(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

// introduce makes words known to the server, and reads them again.
func (s *Store) introduce(ctx context.Context, words []rdf.Term) error {
	var refusal *RefusalError
	err := s.timed(ctx, 0, func(ctx context.Context) error {
		return s.client.queryAsWriter(ctx, s.config.Dialect.Introduce(words))
	})
	if err != nil && !errors.As(err, &refusal) {
		return fmt.Errorf("introducing languages and datatypes to the graph store: %w", err)
	}
	var text strings.Builder
	for _, w := range words {
		fmt.Fprintf(&text, "<%s> <%s> %v .\n", noGraph, wordProperty, w)
	}
	err = s.timed(ctx, 0, func(ctx context.Context) error {
		err := s.client.update(ctx, s.noWords())
		if err == nil {
			err = s.client.update(ctx, "INSERT DATA { GRAPH <"+s.stateGraph()+"> {\n"+text.String()+"} }")
		}
		if err == nil {
			err = s.readWords(ctx, words)
		}
		return err
	})
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &refusal) && !errors.Is(err, results.ErrNameless):
		return fmt.Errorf("looking whether the graph store keeps a language or a datatype: %w", err)
	case len(words) == 1:
		s.words[words[0]] = false
		return nil
	}
	for i := range words { // to find out which
		if err := s.introduce(ctx, words[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

// noWords returns the update that forgets what words were told in.
func (s *Store) noWords() string {
	return "DELETE WHERE { GRAPH <" + s.stateGraph() + "> { <" + noGraph + "> ?p ?o } }"
}

// readWords notes which of the words come back as they were told.
func (s *Store) readWords(ctx context.Context, words []rdf.Term) error {
	for _, w := range words {
		s.words[w] = false
	}
	query := fmt.Sprintf("SELECT ?o WHERE { GRAPH <%s> { <%s> <%s> ?o } }", s.stateGraph(), noGraph, wordProperty)
	return s.each(ctx, query, url.Values{"named-graph-uri": {s.stateGraph()}, "default-graph-uri": {noGraph}}, func(r *results.Reader) error {
		row, err := r.Next()
		if err != nil {
			return err
		}
		if _, asked := s.words[row[0]]; asked {
			s.words[row[0]] = true
		}
		return nil
	})
}

// losesWord says why the server can't have a term whose word it does not keep, "" where
// it can.
func (s *Store) losesWord(t rdf.Term) string {
	if kept, known := s.words[wordOf(t)]; known && !kept {
		return fmt.Sprintf("the graph store does not keep the language or datatype of %.200v", t)
	}
	return ""
}
