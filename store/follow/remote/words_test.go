package remote

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/budget"
)

// answerWords lets the server return the words that it has received, but the lost ones without their names.
func (s *server) answerWords(lost map[string]bool) {
	s.answer = func(w http.ResponseWriter, query string) bool {
		if !strings.Contains(query, wordProperty) {
			return false
		}
		// The words that were sent since they were last deleted.
		var rows []string
		for _, u := range s.updates {
			if strings.HasPrefix(u, "DELETE WHERE") {
				rows = nil
			}
			for line := range strings.Lines(u) {
				_, word, ok := strings.Cut(line, "<"+wordProperty+"> ")
				if !ok {
					continue
				}
				word = strings.TrimSuffix(word, " .\n")
				value, name := strings.Split(word, `"`)[1], `"xml:lang":%q`
				if strings.Contains(word, "^^") {
					name = `"datatype":%q`
				}
				if name = fmt.Sprintf(name, value); lost[value] {
					name = strings.Replace(name, value, "", 1)
				}
				rows = append(rows, fmt.Sprintf(`{"o":{"type":"literal","value":%q,%s}}`, value, name))
			}
		}
		fmt.Fprintf(w, `{"head":{"vars":["o"]},"results":{"bindings":[%s]}}`, strings.Join(rows, ","))
		return true
	}
}

// A literal is sent once the server is known to keep its language or datatype. If the
// server does not return it correctly, the literal is omitted, and the file answers.
func TestALanguageOrDatatypeThatTheServerDropsIsTolerated(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	introduced := 0
	lost := map[string]bool{}
	s.answerWords(lost)
	f := follow(t, s, Dialect{Introduce: func(words []rdf.Term) string { introduced += len(words); return "SELECT 1 {}" }})
	add(t, f, rdf.NewLang("a", "de"), rdf.NewLang("b", "DE"), rdf.NewLiteral("c", "urn:c"), rdf.NewLiteral("1", rdf.XSDInteger), rdf.NewString("e"))
	add(t, f, rdf.NewLang("f", "de"))
	eventually(t, "the server has all", func() bool { n, _ := lacking(f); return n == 0 })
	if introduced != 2 {
		t.Errorf("%d words were introduced, want de and urn:c, once", introduced)
	}
	s.mu.Lock()
	word, literal := -1, -1
	for i, u := range s.updates {
		if strings.Contains(u, `"de"@de`) {
			word = i
		}
		if strings.Contains(u, `"a"@de`) {
			literal = i
		}
	}
	lost["x-lost"], lost["urn:lost"] = true, true
	s.mu.Unlock()
	if word < 0 || literal < word {
		t.Errorf("the language was checked with update %d, and sent with %d", word, literal)
	}
	if f.followers[0].lacks() != "" {
		t.Errorf("the server lacks data: %s", f.followers[0].lacks())
	}
	add(t, f, rdf.NewLang("g", "x-lost"), rdf.NewLiteral("h", "urn:lost"), rdf.NewLang("i", "fr"))
	if rows, err := ask(t, f, all, budget.Limits{}); len(rows) != 9 || err != nil {
		t.Errorf("%d rows, %v; want all 9, from the file", len(rows), err)
	}
	if len(s.received(`"g"@x-lost`)) > 0 || len(s.received(`"h"^^<urn:lost>`)) > 0 || len(s.received(`"i"@fr`)) == 0 {
		t.Errorf("the server received %q", s.updates)
	}
}

// A word that the server drops is known with the quads that have it, also if the service begins then to remember words anew.
func TestAWordThatTheServerDropsIsNotForgottenBeforeItIsSent(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.answerWords(map[string]bool{"x-lost": true})
	f := follow(t, s, Dialect{Introduce: func([]rdf.Term) string { return "SELECT 1 {}" }})
	add(t, f, rdf.NewLang("a", "x-lost"))
	eventually(t, "the server has all", func() bool { n, _ := lacking(f); return n == 0 })
	words := f.followers[0].words // nothing is sent now
	for i := range maxWords - len(words) {
		words[rdf.NewLang(fmt.Sprint(i), fmt.Sprintf("x-%d", i))] = true
	}
	add(t, f, rdf.NewLang("b", "x-lost"), rdf.NewLang("c", "fr"))
	eventually(t, "the server has all", func() bool { n, _ := lacking(f); return n == 0 && len(s.received(`"c"@fr`)) > 0 })
	if sent := s.received(`"b"@x-lost`); len(sent) > 0 {
		t.Errorf("the server received %q", sent)
	}
}

// An answer with a literal that has lost its language or datatype is rejected.
func TestALiteralWithoutItsLanguageIsNotShown(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	f := follow(t, s, Dialect{})
	add(t, f, rdf.NewLang("a", "de"), rdf.NewLang("b", "de"))
	nameless := `{"o":{"type":"literal","value":"a","xml:lang":""}}`
	for _, tt := range []struct {
		rows string
		want int
		err  string
	}{
		{nameless, 2, ""}, // from the file
		{`{"o":{"type":"literal","value":"a","datatype":""}}`, 2, ""},
		{`{"o":{"type":"literal","value":"b"}},` + nameless, 2, ""},
		{`{"o":{"type":"literal","value":"` + strings.Repeat("b", heldBytes) + `"}},` + nameless, 1, "empty"}, // rows that were passed on can't be taken back
	} {
		f.followers[0].lost.Store(false)
		s.mu.Lock()
		s.answer = answerRows(func(w http.ResponseWriter) {
			fmt.Fprintf(w, `{"head":{"vars":["o"]},"results":{"bindings":[%s]}}`, tt.rows)
		})
		s.mu.Unlock()
		rows, err := ask(t, f, all, budget.Limits{})
		if len(rows) != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%.99s: %d rows, %v; want %d, %q", tt.rows, len(rows), err, tt.want, tt.err)
		}
		if rows, err := ask(t, f, all, budget.Limits{}); len(rows) != 2 || err != nil {
			t.Errorf("%.99s, and then: %d rows, %v; want those of the file", tt.rows, len(rows), err)
		}
	}
}

// An update that the server rolls back is sent again. Nothing is omitted because of that.
func TestChangesThatTheServerRollsBackAreSentAgain(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	f := follow(t, s, Dialect{Passing: func(said string) bool { return said == "undone" }})
	s.mu.Lock()
	s.undo = 3
	s.mu.Unlock()
	add(t, f, rdf.NewString("a"), rdf.NewString("b"))
	eventually(t, "the server has all", func() bool { n, _ := lacking(f); return n == 0 && len(s.received(`"a"`)) > 0 })
	if f.followers[0].lacks() != "" || len(s.received(`"a"`)) != 1 || len(s.received(`"b"`)) != 1 {
		t.Errorf("the server lacks data (%q), or received it in parts: %q", f.followers[0].lacks(), s.updates)
	}
}

// A graph that can't be imported completely is not imported at all. No attempt leaves an
// entry in the journal, and the public part of the error reveals nothing of the graph.
func TestAGraphThatLostALanguageIsNotImported(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.answer = func(w http.ResponseWriter, query string) bool {
		if !strings.Contains(query, "?s ?p ?o") {
			return false
		}
		if strings.Contains(query, "LIMIT") {
			fmt.Fprint(w, `{"head":{"vars":["s"]},"results":{"bindings":[{"s":{"type":"uri","value":"urn:s"}}]}}`)
			return true
		}
		row := `{"s":{"type":"uri","value":"urn:s"},"p":{"type":"uri","value":"urn:p"},"o":{"type":"literal","value":%q%s}}`
		fmt.Fprintf(w, `{"head":{"vars":["s","p","o"]},"results":{"bindings":[%s,%s]}}`, fmt.Sprintf(row, "good", ""), fmt.Sprintf(row, "secret", `,"xml:lang":""`))
		return true
	}
	file, err := persist.Open(filepath.Join(t.TempDir(), "segraph.db"), persist.Options{Follow: true})
	if err != nil {
		t.Fatal(err)
	}
	f := Follow(file.Store, file.Outbox, Options{}, Config{Name: "server", Product: "the server", Query: s.URL + "/query", Update: s.URL + "/update", Graph: "urn:g"})
	defer f.Close()
	var unready *store.UnreadyError
	eventually(t, "the failure is reported", func() bool {
		return errors.As(f.Ready(t.Context()), &unready) && strings.Contains(unready.Detail, "can't be imported into the empty file")
	})
	if !strings.Contains(unready.Detail, "lost its language") || strings.Contains(unready.Detail, "secret") {
		t.Errorf("the detail is %q", unready.Detail)
	}
	if !strings.Contains(unready.Err.Error(), `"secret"`) {
		t.Errorf("the log has %q", unready.Err)
	}
	if _, last, err := f.outbox.Span(); err != nil || last != 0 {
		t.Errorf("%d changes in the file, %v", last, err)
	}
	if len(s.received("CLEAR")) > 0 {
		t.Errorf("the server received %q", s.updates)
	}
}
