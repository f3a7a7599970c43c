package service

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store/log/journal"
)

// longest is the longest write that it got.
type longest struct {
	bytes.Buffer
	n int
}

func (l *longest) Write(p []byte) (int, error) {
	l.n = max(l.n, len(p))
	return l.Buffer.Write(p)
}

func TestAPageIsWrittenInParts(t *testing.T) {
	t.Parallel()
	next, text := uint64(7), strings.Repeat("<\u2028\"é", 9_000)
	said := resolver.ContextView{URI: "<&>", CanonicalText: &text, Observations: []resolver.ObservationView{{Text: &text}, {Text: &text}}}
	for _, value := range []any{
		"a\nb", 7, []string{"a"}, &resolver.Queue{}, (*resolver.Queue)(nil), time.Unix(7, 0), []time.Time{time.Unix(7, 0)},
		&resolver.Queue{Limit: 3, Contexts: []resolver.ContextView{said, {}}, UnresolvedContexts: []resolver.ContextView{said}, PendingCases: []resolver.CaseView{{}}},
		&Person{Said: PersonFacts{Count: 9, Facts: []PersonFact{{IRI: "urn:a", Text: text}, {Category: "c"}}}, Looks: []PersonLook{{By: "<eva>"}}},
		struct {
			Entries []journal.Numbered `json:"entries"`
			Next    *uint64            `json:"next"`
			Triples [][]string         `json:"triples"`
		}{[]journal.Numbered{{Seq: 1, Entry: journal.Entry{Detail: text}}, {}}, &next, [][]string{{"<a>", text}, {text}, nil}},
	} {
		want, err := json.Marshal(value)
		var to longest
		n, failed := jsonText{value}.WriteTo(&to)
		if err != nil || failed != nil || n != int64(len(want))+1 || to.String() != string(want)+"\n" {
			t.Errorf("%.300s, %v; want %.300s, %v", to.String(), failed, want, err)
		}
		if to.n > 6*len(text) {
			t.Errorf("%d bytes were in memory at once", to.n)
		}
	}
}
