package reports

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/trigram"
	"github.com/segraph/segraph/views"
)

// sentence is something that was said, as one or more robots logged it.
type sentence struct {
	at       time.Time // when the last of its messages was logged
	text     rdf.Term
	who      rdf.Term // zero if unknown
	messages []rdf.Term
	acts     []rdf.Term // activities of the messages
	robots   []rdf.Term // that logged it
	events   []rdf.Term
	keys     [][2]rdf.Term // under which it is open
}

// shared reports whether several robots logged a sentence as one event.
func (s *sentence) shared() bool { return len(s.robots) > 1 && len(s.events) == 1 }

// sought says which sentences a search wants. Zero fields want all.
type sought struct {
	words          []string // each is a part of the text, ignoring case and accents
	person, robot  rdf.Term
	emotion, state string
	before         time.Time // only sentences before this time; those of earlier pages are not
}

// soughtWords returns the words of a search. A text in quotation marks is one.
func soughtWords(text string) (out []string) {
	for i, part := range strings.Split(text, `"`) {
		if i%2 == 1 {
			out = append(out, strings.TrimSpace(part))
		} else {
			out = append(out, strings.Fields(part)...)
		}
	}
	return slices.DeleteFunc(out, func(w string) bool { return len(trigram.Fold(nil, w)) == 0 })
}

// finding searches the graph for sentences.
type finding struct {
	*Report
	sought
	// each runs a query and calls row with each of its rows; containing returns literals that contain a text, and whether
	// there are more.
	each       func(ctx context.Context, query string, row func([]rdf.Term) error) error
	containing func(ctx context.Context, kind rdf.Kind, part string, limit int) ([]rdf.Term, bool, error)
	feelings   map[rdf.Term][]felt // by event or activity; those of all sentences if the search is for an emotion
	cases      map[rdf.Term]string // ids of undecided cases by event, likewise
	late       bool                // the sentences could not be found soon
	lacks      bool                // there are more emotions than feelings has
	matchers   []*trigram.Matcher  // of the words
}

// felt is an emotion that was read when something was said.
type felt struct {
	who, category rdf.Term
	intensity     float64
	at            time.Time // when it was read; zero if unknown
}

// Limits of a search.
const (
	// rareTexts and fewTexts are how many texts with a word are looked up one by one, at once and after firstRead rows
	// were too few. For a more frequent word, the newest sentences are read until enough have it.
	rareTexts = 1000
	fewTexts  = 10_000
	// firstRead is how many rows are read first.
	firstRead = 2000
	// openSentences is how many sentences are compared with one that may be the same.
	openSentences = 1000
	// ofEvent is how far from a sentence an emotion of its event may be read, unless the sentence triggered the reading: some
	// robots give a whole conversation one event.
	ofEvent = 30 * time.Second
)

var errEnough = errors.New("there are enough sentences")

// page returns the newest sentences that are sought, and whether there are more. It reads ever more rows, until a page is
// full or all are read.
func (f *finding) page(ctx context.Context) (list []*sentence, more bool, err error) {
	var query string
	var few bool
	for _, try := range []struct{ rows, texts int }{{firstRead, rareTexts}, {10 * firstRead, fewTexts}, {math.MaxInt32, 0}} {
		if try.texts > 0 { // otherwise the query is the one before
			if query, few, err = f.query(ctx, try.texts); err != nil || query == "" {
				return nil, false, err
			}
		}
		most := try.rows
		if few {
			most = math.MaxInt32
		}
		n, page := 0, paging{}
		err = f.read(ctx, fmt.Sprintf("%sLIMIT %d", query, most), func() { n++ }, page.add)
		if err != nil || page.more || n < most {
			return page.list, page.more, err
		}
	}
	return nil, false, nil
}

// paging collects the sentences of a page: searchRows, and those of the same time as the last one.
type paging struct {
	list []*sentence
	more bool // there are sentences after the page
}

// add adds the next sentence. It reports whether the page has room.
func (p *paging) add(s *sentence) bool {
	n := len(p.list)
	if n >= searchRows {
		sameTime := s.at.Equal(p.list[n-1].at) // the next page begins before that time
		p.more = p.more || !sameTime || n == 2*searchRows
	}
	if !p.more {
		p.list = append(p.list, s)
	}
	return !p.more
}

// all calls yield with all sentences that are sought, the newest first.
func (f *finding) all(ctx context.Context, yield func(*sentence)) error {
	query, _, err := f.query(ctx, fewTexts)
	if err != nil || query == "" {
		return err
	}
	return f.read(ctx, query, func() {}, func(s *sentence) bool { yield(s); return true })
}

// query returns a query of messages that may be sought, without a limit; "" if there are none. few reports whether
// they have no more texts than most, because a word is rare or the person said little.
func (f *finding) query(ctx context.Context, most int) (query string, few bool, err error) {
	texts, few, err := f.texts(ctx, most)
	if err != nil || few && len(texts) == 0 {
		return "", few, err
	}
	near := *f.Report
	if end := f.before.Add(pause); !f.before.IsZero() && (near.To.IsZero() || end.Before(near.To)) {
		near.To = end // a sentence that is later may have a message before
	}
	query, _, _ = strings.Cut(near.Query("sentences"), "LIMIT")
	if few {
		query = valued(query, "?text", texts)
	}
	return query, few, nil
}

// texts returns the texts that have all words, looked up by the first word that no more than most texts have. Without
// such a word, it returns those that the person said. few is false, and there are no texts, if these are more than most
// too, or nobody is sought.
func (f *finding) texts(ctx context.Context, most int) (texts []rdf.Term, few bool, err error) {
	for _, w := range f.words {
		texts, more, err := f.containing(ctx, rdf.KindLiteral, w, most)
		if err != nil || !more {
			return slices.DeleteFunc(texts, func(t rdf.Term) bool { return !f.wants(t.Value()) }), true, err
		}
	}
	if f.person.IsZero() {
		return nil, false, nil
	}
	var names []rdf.Term
	for _, iri := range f.Persons.All(f.person.Value()) {
		names = append(names, rdf.NewIRI(iri))
	}
	of := *f.Report
	of.Limit = most
	err = f.each(ctx, valued(of.Query("sentence-texts"), "?who", names), func(t []rdf.Term) error { texts = append(texts, t[0]); return nil })
	if err != nil || len(texts) > most {
		return nil, false, err
	}
	return variants(texts), true, nil
}

// variants adds texts as strings and in the languages of the others: a robot that does not know who said something may
// not know the language either.
func variants(texts []rdf.Term) []rdf.Term {
	languages := map[string]bool{"": true}
	for _, t := range texts {
		languages[t.Language()] = true
	}
	out := map[rdf.Term]bool{}
	for _, t := range texts {
		for l := range languages {
			if v := rdf.NewString(t.Value()); l == "" {
				out[v] = true
			} else {
				out[rdf.NewLang(t.Value(), l)] = true
			}
		}
	}
	return slices.Collect(maps.Keys(out))
}

// valued limits a query to some values of a variable.
func valued(query, variable string, terms []rdf.Term) string {
	return strings.Replace(query, "{\n", "{\n  VALUES "+variable+" { "+listed(terms)+"}\n", 1)
}

// listed writes terms for VALUES, which takes no blank nodes: it leaves them out.
func listed(terms []rdf.Term) string {
	var b strings.Builder
	for _, t := range terms {
		if !t.IsBlank() {
			b.WriteString(t.String() + " ")
		}
	}
	return b.String()
}

// wants reports whether a text has all words.
func (f *finding) wants(text string) bool {
	for _, m := range f.matchers {
		if !m.Matches(text) {
			return false
		}
	}
	return true
}

// read runs a query of sentences, and calls yield with those that are sought. It calls row for each row.
func (f *finding) read(ctx context.Context, query string, row func(), yield func(*sentence) bool) error {
	j := joining{same: map[[2]rdf.Term]*sentence{}, yield: func(s *sentence) bool { return !f.keeps(s) || yield(s) }}
	err := f.each(ctx, query, func(t []rdf.Term) error {
		row()
		at, ok := views.TimeOf(t[5])
		if !ok || !f.wants(t[1].Value()) {
			return nil
		}
		f.Persons.Replace([][]rdf.Term{t})
		if !j.add(at, t) {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	if err == nil {
		j.flush(time.Time{})
	}
	return err
}

// keeps reports whether a sentence is from before f.before, if that is set, and has the person, the robot, the emotion
// and the state that the reader seeks.
func (f *finding) keeps(s *sentence) bool {
	switch {
	case !f.before.IsZero() && !s.at.Before(f.before):
		return false
	case !f.person.IsZero() && s.who != f.person, !f.robot.IsZero() && !slices.Contains(s.robots, f.robot):
		return false
	case f.emotion != "" && !slices.ContainsFunc(f.feelingsOf(s), func(x felt) bool { return x.category.Value() == f.emotion }):
		return false
	case f.state == stateShared:
		return s.shared()
	case f.state == stateReview:
		return f.caseOf(s) != ""
	}
	return true
}

// caseOf returns the id of the undecided case about a sentence, or "".
func (f *finding) caseOf(s *sentence) string {
	for _, e := range s.events {
		if id := f.cases[e]; id != "" {
			return id
		}
	}
	return ""
}

// feelingsOf returns the emotions of who said a sentence, logged with it or near in time: each category once.
func (f *finding) feelingsOf(s *sentence) (out []felt) {
	for i, e := range slices.Concat(s.acts, s.events) {
		for _, x := range f.feelings[e] {
			same := func(y felt) bool { return y.category == x.category }
			near := i < len(s.acts) || x.at.IsZero() || x.at.Sub(s.at).Abs() <= ofEvent
			if near && (x.who.IsZero() || x.who == s.who) && !slices.ContainsFunc(out, same) {
				out = append(out, x)
			}
		}
	}
	return out
}

// learn reads the emotions and the undecided cases of some sentences, or of all for nil: at most fileRows of each.
func (f *finding) learn(ctx context.Context, list []*sentence) error {
	f.feelings, f.cases = map[rdf.Term][]felt{}, map[rdf.Term]string{}
	var about []rdf.Term
	for _, s := range list {
		about = append(append(about, s.events...), s.acts...)
	}
	report := f.ofAllTimes()
	report.Limit = fileRows
	ask := func(name string, row func([]rdf.Term) error) error {
		query := report.Query(name)
		if list != nil {
			query = valued(query, "?event", about)
		}
		return f.each(ctx, query, row)
	}
	n := 0
	err := ask("sentence-emotions", func(t []rdf.Term) error {
		n++
		f.Persons.Replace([][]rdf.Term{t})
		event, who, category, intensity := t[0], t[1], t[2], fraction(t[3])
		at, _ := views.TimeOf(t[4])
		f.feelings[event] = append(f.feelings[event], felt{who, category, intensity, at})
		return nil
	})
	if err != nil {
		return err
	}
	f.lacks = n > fileRows
	return ask("sentence-cases", func(t []rdf.Term) error { event, id := t[0], t[1]; f.cases[event] = id.Value(); return nil })
}

// marked splits a text into pieces, of which the second, the fourth and so on are words
// that the reader seeks.
func (f *finding) marked(text string) (out []string) {
	var folded []byte
	var from []int // where in the text each folded byte comes from
	for i, c := range text {
		n := len(folded)
		folded = trigram.Fold(folded, string(c))
		for range len(folded) - n {
			from = append(from, i)
		}
	}
	from = append(from, len(text))
	hit := make([]bool, len(text)+1)
	for _, w := range f.words {
		part := trigram.Fold(nil, w)
		for at := 0; ; {
			i := bytes.Index(folded[at:], part)
			if i < 0 {
				break
			}
			for k := from[at+i]; k < from[at+i+len(part)]; k++ {
				hit[k] = true
			}
			at += i + len(part)
		}
	}
	start := 0
	for i := 1; i <= len(text); i++ {
		if i == len(text) || hit[i] != hit[i-1] {
			forWord := len(out)%2 == 1 // the second, the fourth and so on
			if isWord := hit[i-1]; isWord != forWord {
				out = append(out, "") // the text begins with a word
			}
			out, start = append(out, text[start:i]), i
		}
	}
	return out
}
