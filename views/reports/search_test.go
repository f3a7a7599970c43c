package reports

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views/viewstest"
)

const searchPrefixes = `@prefix ex: <http://e/> . @prefix schema: <http://schema.org/> . @prefix prov: <http://www.w3.org/ns/prov#> .
@prefix oro: <http://kb.openrobots.org#> . @prefix segb: <http://www.gsi.upm.es/ontologies/segb/ns#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix onyx: <http://www.gsi.upm.es/ontologies/onyx/ns#> . @prefix oa: <http://www.w3.org/ns/oa#> .
ex:ari a oro:Robot ; schema:name "ARI" . ex:tiago a oro:Robot ; schema:name "TIAGo" . ex:maria a oro:Human ; schema:name "María" . ex:cem a oro:Human ; schema:name "Cem" .
`

// saidAt returns a log of a message. who and event may be "".
func saidAt(n int, at, robot, who, event, text string) string {
	if who != "" {
		who = "schema:sender " + who + " ;"
	}
	if event != "" {
		event = "; schema:about " + event
	}
	return fmt.Sprintf("ex:a%d prov:startedAtTime %q^^xsd:dateTime ; segb:wasPerformedBy %s %s .\nex:m%d schema:text %s ; %s prov:wasGeneratedBy ex:a%d .\n", n, at, robot, event, n, text, who, n)
}

// wordsOf returns the sentences of a page of results, in order, as who said them and who heard them.
func wordsOf(page string) (out []string) {
	for _, row := range strings.Split(page, "<li><div><div class=\"whom\">")[1:] {
		row, _, _ = strings.Cut(row, "</li>")
		out = append(out, strings.Join(strings.Fields(regexp.MustCompile("<[^>]*>").ReplaceAllString(row, " ")), " "))
	}
	return out
}

func TestASentenceIsOneRowHoweverManyRobotsHeardIt(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Now = noon
	s.Publish(searchPrefixes + saidAt(2, "2026-03-01T09:00:01Z", "ex:tiago", "ex:maria", "ex:e1", `"Where is the cafe, you two?"@en`)) // another reading of one event
	s.Publish(searchPrefixes + saidAt(1, "2026-03-01T09:00:00Z", "ex:ari", "ex:maria", "ex:e1", `"Where is the Café, you two?"@en`) +
		saidAt(3, "2026-03-01T09:00:03Z", "ex:ari", "ex:ari", "ex:e1", `"The café is here."`) +
		saidAt(4, "2026-03-01T09:30:00Z", "ex:ari", "ex:maria", "ex:e2", `"Where is the Café, you two?"@en`)) // later, so another one
	s.Publish(searchPrefixes + saidAt(5, "2026-03-01T09:40:00Z", "ex:ari", "ex:cem", "ex:e3", `"A café?"@en`) + saidAt(6, "2026-03-01T09:40:01Z", "ex:tiago", "", "ex:e3", `"A café?"`) +
		`ex:x segb:triggeredByActivity ex:a5 ; segb:producedEntityResult ex:n . ex:n onyx:hasEmotion ex:f ; oa:hasTarget ex:cem . ex:f onyx:hasEmotionCategory ex:big6_joy ; onyx:hasEmotionIntensity 0.8 .
		ex:y schema:about ex:e3 ; prov:startedAtTime "2026-03-01T09:43:00Z"^^xsd:dateTime ; segb:producedEntityResult ex:n2 . ex:n2 onyx:hasEmotion ex:f2 ; oa:hasTarget ex:cem . ex:f2 onyx:hasEmotionCategory ex:big6_fear .
		ex:z schema:about ex:e2 ; prov:startedAtTime "2026-03-01T09:30:05Z"^^xsd:dateTime ; segb:producedEntityResult ex:n3 . ex:n3 onyx:hasEmotion ex:f3 ; oa:hasTarget ex:maria . ex:f3 onyx:hasEmotionCategory ex:big6_anger .`) // fear is of another moment of the event
	b := s.NewVisitor()
	page := b.Get("/search?q=CAFE").Body.String()
	got := wordsOf(page)
	want := []string{"Cem A café ? heard by TIAGo and ARI joy 80 % one shared event 09:40:01 1 Mar 2026 Why?", "María Where is the Café , you two? heard by ARI anger 09:30:00 1 Mar 2026 Why?",
		"ARI The café is here. 09:00:03 1 Mar 2026 Why?", "María Where is the cafe , you two? heard by TIAGo and ARI one shared event 09:00:01 1 Mar 2026 Why?"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want\n%q", got, want)
	}
	viewstest.Want(t, page, "<mark>Café</mark>", "4 sentences with", `href="/case-file?q=`, `/replay?at=2026-03-01T09:30:00Z`)
	for query, n := range map[string]int{"q=two+café": 2, `q="the+caf"`: 3, "q=café&person=http://e/maria": 2, "q=café&robot=http://e/tiago": 2, "q=&state=shared": 2, "person=http://e/cem&state=shared": 1, "person=http://e/maria": 2, "q=&emotion=http://e/big6_joy": 1, "from=2026-03-01T09:20&to=2026-03-01T09:35": 1, "q=nobody": 0, "q=": 4} {
		for _, full := range []string{"", "&full=1"} {
			if rows := wordsOf(b.Get("/search?" + strings.ReplaceAll(query, `"`, "%22") + full).Body.String()); len(rows) != n {
				t.Errorf("%s%s: %q, want %d", query, full, rows, n)
			}
		}
	}
	for _, by := range []string{"robot=http://e/ari&state=shared", "robot=http://e/tiago&state=shared", "person=http://e/maria&state=shared"} { // what others heard counts
		if got := wordsOf(b.Get("/search?q=where&" + by).Body.String()); len(got) != 1 || !strings.Contains(got[0], "heard by TIAGo and ARI one shared event") {
			t.Errorf("%s: %q", by, got)
		}
	}
	if got := wordsOf(b.Get("/search?q=&robot=http://e/tiago").Body.String()); len(got) != 2 || !strings.HasPrefix(got[0], "Cem A café? heard by TIAGo and ARI joy") { // TIAGo did not know the speaker
		t.Errorf("of TIAGo: %q", got)
	}
	full := b.Get("/search?q=café&full=1").Body.String()
	for _, facet := range []string{`person=http://e/maria&amp;q=caf%C3%A9"><span class="box"></span> <bdi class="clip" title="María">María</bdi> <span class="n">2<`, `title="TIAGo">TIAGo</bdi> <span class="n">2<`, `title="ARI">ARI</bdi> <span class="n">4<`,
		`joy</bdi> <span class="n">1<`, `shared events</bdi> <span class="n">2<`, `1 Mar 09:40 to 09:40</bdi> <span class="n">1<`} {
		viewstest.Want(t, full, facet)
	}
	viewstest.Want(t, b.Get("/case-file?q=two+cafe").Body.String(), "from 2 logs") // what the search for it finds
	viewstest.WantPage(t, b.Get("/search?q=a&person=x"), 422, "is not an IRI")
	viewstest.WantPage(t, b.Get("/search?q=a&before=x"), 422, "is not a time")
}

// TestThePagesOfASearchHaveEachSentenceOnce reads all pages of a search, where robots hear sentences at the ends of pages.
func TestThePagesOfASearchHaveEachSentenceOnce(t *testing.T) {
	t.Parallel()
	s := openService(t)
	var log strings.Builder
	log.WriteString(searchPrefixes)
	begin := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	for i := range 70 {
		for k, robot := range []string{"ex:ari", "ex:tiago"} {
			at := begin.Add(time.Duration(i)*3*time.Second + time.Duration(k)*5*time.Second) // the next ones are said before
			log.WriteString(saidAt(2*i+k, at.Format(time.RFC3339), robot, "ex:maria", fmt.Sprintf("ex:e%d", i), fmt.Sprintf("%q", fmt.Sprintf("Number %d please", i))))
		}
	}
	s.Publish(log.String())
	b := s.NewVisitor()
	var all []string
	pages := 0
	for next := "/search?q=please"; next != ""; pages++ {
		page := b.Get(next).Body.String()
		for _, row := range wordsOf(page) {
			_, row, _ = strings.Cut(row, "Number ")
			row, _, _ = strings.Cut(row, " ")
			all = append(all, row)
		}
		_, next, _ = strings.Cut(page, `<a class="button mini" href="/search?after=`)
		if next, _, _ = strings.Cut(next, `"`); next != "" {
			next = "/search?after=" + strings.ReplaceAll(next, "&amp;", "&")
		}
		if pages == 5 {
			t.Fatal("there are too many pages")
		}
	}
	var want []string
	for i := range 70 {
		want = append(want, fmt.Sprint(69-i))
	}
	if !slices.Equal(all, want) {
		t.Errorf("%d pages: %q", pages, all)
	}
}

func TestMarkedWords(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		words, text string
		want        []string
	}{
		{"you", "You got it! You!", []string{"", "You", " got it! ", "You", "!"}},
		{"e", "Café", []string{"Caf", "é"}},
		{"fi", "ﬁne", []string{"", "ﬁ", "ne"}},
		{"音乐", "我喜欢音乐。", []string{"我喜欢", "音乐", "。"}},
		{`"a b" c`, "a b c", []string{"", "a b", " ", "c"}},
		{"z", "abc", []string{"abc"}},
		{"", "abc", []string{"abc"}},
		{"a", "", nil},
	} {
		f := finding{sought: sought{words: soughtWords(x.words)}}
		if got := f.marked(x.text); !slices.Equal(got, x.want) || strings.Join(got, "") != x.text {
			t.Errorf("%q in %q: %q", x.words, x.text, got)
		}
	}
}

// TestSentencesAreNotKeptOpen joins many messages of one moment, and those of an hour.
func TestSentencesAreNotKeptOpen(t *testing.T) {
	t.Parallel()
	at, n := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), 0
	j := joining{same: map[[2]rdf.Term]*sentence{}, yield: func(*sentence) bool { n++; return true }}
	for i := range 3 * openSentences {
		j.add(at, []rdf.Term{rdf.NewIRI(fmt.Sprint("http://e/m", i)), rdf.NewString(fmt.Sprint(i)), rdf.NewIRI("http://e/maria"), {}, {}, {}, {}})
		if len(j.open) > openSentences+1 || len(j.same) > 3*openSentences {
			t.Fatalf("%d sentences and %d keys are open", len(j.open), len(j.same))
		}
	}
	j.add(at.Add(-time.Hour), []rdf.Term{rdf.NewIRI("http://e/m"), rdf.NewString("x"), {}, {}, {}, {}, {}})
	if len(j.open) != 1 || n != 3*openSentences {
		t.Errorf("%d are open, %d were found", len(j.open), n)
	}
}

// TestMergedEventsMakeOneSentence has what two robots logged under two events, which were merged.
func TestMergedEventsMakeOneSentence(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Publish(searchPrefixes + saidAt(1, "2026-03-01T09:00:00Z", "ex:ari", "ex:maria", "ex:e1", `"Where is it?"`) + saidAt(2, "2026-03-01T09:00:01Z", "ex:tiago", "ex:maria", "ex:e2", `"Where is he?"`) +
		`ex:e2 <urn:segraph:ns#mergedInto> ex:e1 .`)
	if got := wordsOf(s.NewVisitor().Get("/search?q=where&state=shared").Body.String()); len(got) != 1 {
		t.Errorf("%q", got)
	}
}

// TestFacetsOfAStoppedSearchAreAtLeast has counts of a part of the sentences, and of the newest sessions, of another year.
func TestFacetsOfAStoppedSearchAreAtLeast(t *testing.T) {
	t.Parallel()
	f := &finding{Report: reportOf(t, someActivities)}
	for _, whole := range []bool{true, false} {
		m := SearchModel{given: url.Values{}}
		c := &counting{whole: whole, cut: true, people: map[rdf.Term]int{rdf.NewIRI("urn:maria"): 2}, shared: 1, of: map[int]int{0: 1},
			sessions: []Summary{{Session: Session{From: noon.AddDate(-1, 0, 0), To: noon.AddDate(-1, 0, 0).Add(time.Minute)}}}}
		if err := f.facets(t.Context(), c, &m); err != nil || len(m.Facets) != 3 {
			t.Fatalf("%+v, %v", m.Facets, err)
		}
		for _, x := range m.Facets {
			if strings.HasSuffix(x.About, "at least") == whole || x.Name == "Session" && !strings.HasPrefix(x.About, "of the newest") {
				t.Errorf("all counted: %t; it says %+v", whole, x)
			}
			if x.Name == "Session" && x.Shown[0].Name != noon.AddDate(-1, 0, 0).Format("2 Jan 2006 15:04")+" to 12:01" {
				t.Errorf("the session is %q", x.Shown[0].Name)
			}
		}
	}
}
