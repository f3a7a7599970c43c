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

// A word is a language tag or a datatype. Some servers number words: a literal stores the
// number, and a table stores the word. If the two become inconsistent, the literal loses
// its language or datatype. So each word is checked before the first literal with it is
// sent, once after each connection: it is introduced (Dialect.Introduce), sent in a
// literal of its own, and read back. If it is not read back correctly, literals with it
// are omitted, like others that the server can't store.

const (
	wordProperty = "urn:segraph:word"
	wordsAtOnce  = 50
	maxWords     = 50_000 // words remembered, besides those of the last quads; more than such a server can number
)

// wordOf returns the literal that introduces a word of t: its value is the word, and so
// is its language tag or datatype. It returns the zero Term if t needs no check: it is not a
// literal, or package rdf supports its datatype, which servers are assumed to keep.
func wordOf(t rdf.Term) rdf.Term {
	if !t.IsLiteral() {
		return rdf.Term{}
	}
	if t.Tag() != "" {
		tag := strings.ToLower(t.Tag())
		return rdf.NewLang(tag, tag)
	}
	if _, supported := rdf.ValidLexical("", t.Datatype()); supported {
		return rdf.Term{}
	}
	return rdf.NewLiteral(t.Datatype(), t.Datatype())
}

// checkWords checks those words in quads that were not checked since the connection. Only the goroutine that sends
// calls it, before it sends the quads.
func (f *follower) checkWords(ctx context.Context, quads []rdf.Quad) error {
	if f.config.Dialect.Introduce == nil {
		return nil
	}
	if f.words == nil || len(f.words) >= maxWords { // before the loop: losesWord must know all words of these quads
		f.words = map[rdf.Term]bool{}
	}
	var fresh []rdf.Term
	requested := map[rdf.Term]bool{}
	for _, q := range quads {
		w := wordOf(f.config.Dialect.out(q.O))
		if _, known := f.words[w]; w.IsZero() || known || requested[w] || f.config.Dialect.refuse(q.O) != "" {
			continue
		}
		requested[w] = true
		fresh = append(fresh, w)
	}
	for part := range slices.Chunk(fresh, wordsAtOnce) {
		if err := f.introduce(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

// introduce introduces words to the server, sends them, and reads them back.
func (f *follower) introduce(ctx context.Context, words []rdf.Term) error {
	var refusal *RefusalError
	err := f.timed(ctx, 0, func(ctx context.Context) error {
		return f.client.queryAsWriter(ctx, f.config.Dialect.Introduce(words))
	})
	if err != nil && !errors.As(err, &refusal) {
		return fmt.Errorf("introducing languages and datatypes to the graph store: %w", err)
	}
	var text strings.Builder
	for _, w := range words {
		fmt.Fprintf(&text, "<%s> <%s> %v .\n", noGraph, wordProperty, w)
	}
	err = f.timed(ctx, 0, func(ctx context.Context) error {
		err := f.client.update(ctx, f.deleteWords())
		if err == nil {
			err = f.client.update(ctx, "INSERT DATA { GRAPH <"+f.stateGraph()+"> {\n"+text.String()+"} }")
		}
		if err == nil {
			err = f.readWords(ctx, words)
		}
		return err
	})
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &refusal) && !errors.Is(err, results.ErrNameless):
		return fmt.Errorf("checking whether the graph store keeps a language or a datatype: %w", err)
	case len(words) == 1:
		f.words[words[0]] = false
		return nil
	}
	for i := range words { // one by one, to find the refused ones
		if err := f.introduce(ctx, words[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

// deleteWords returns the update that removes the literals of words.
func (f *follower) deleteWords() string {
	return "DELETE WHERE { GRAPH <" + f.stateGraph() + "> { <" + noGraph + "> ?p ?o } }"
}

// readWords records which of the words are read back correctly.
func (f *follower) readWords(ctx context.Context, words []rdf.Term) error {
	for _, w := range words {
		f.words[w] = false
	}
	query := fmt.Sprintf("SELECT ?o WHERE { GRAPH <%s> { <%s> <%s> ?o } }", f.stateGraph(), noGraph, wordProperty)
	return f.each(ctx, query, url.Values{"named-graph-uri": {f.stateGraph()}, "default-graph-uri": {noGraph}}, func(r *results.Reader) error {
		row, err := r.Next()
		if err != nil {
			return err
		}
		if _, requested := f.words[row[0]]; requested {
			f.words[row[0]] = true
		}
		return nil
	})
}

// losesWord returns why the server can't store a term whose word it does not keep, or ""
// if it keeps the word.
func (f *follower) losesWord(t rdf.Term) string {
	if kept, known := f.words[wordOf(t)]; known && !kept {
		return fmt.Sprintf("the graph store does not keep the language or datatype of %.200v", t)
	}
	return ""
}
