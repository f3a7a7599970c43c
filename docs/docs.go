// Package docs holds the documents that the program shows too: the questions of queries.md, which the web UI offers as
// examples, and the data that the documentation asks about, which `segraph demo` serves.
package docs

import (
	_ "embed"
	"regexp"
	"strings"
)

var (
	//go:embed queries.md
	queries string

	// Log is what three robots in a museum published, in Turtle.
	//go:embed examples/museum.ttl
	Log []byte

	// Observations is what they asked the resolver before, in JSON, one observation a line.
	//go:embed examples/observations.jsonl
	Observations []byte
)

// Question is a question on a page, with a query that runs unchanged.
type Question struct {
	About  string // heading of its part of the page
	Title  string
	Query  string // with the prefixes that it uses
	File   string // with all prefixes of the page, for its answer
	Answer string // as printed by segraph query --format table
}

var (
	sparqlBlock = regexp.MustCompile("(?s)```sparql\n(.*?)```")
	textBlock   = regexp.MustCompile("(?s)```text\n(.*?)```")
	declaration = regexp.MustCompile(`(?m)^PREFIX +(\S*:) +<[^>]*>\n`)
	notInName   = regexp.MustCompile(`[^a-z0-9]+`)
)

// Name returns a title in lower case with hyphens: the name of the question's file in
// examples, and of its example in the web UI.
func Name(title string) string {
	return strings.Trim(notInName.ReplaceAllString(strings.ToLower(title), "-"), "-")
}

// Questions returns the questions of queries.md, in page order.
func Questions() []Question { return QuestionsOf(queries) }

// QuestionsOf returns the questions of a page, in page order. Its first block of SPARQL
// has the prefixes.
func QuestionsOf(page string) []Question {
	var out []Question
	about, prefixes := "", ""
	for part := range strings.SplitSeq(page, "\n#") {
		title, body, _ := strings.Cut(part, "\n")
		block := sparqlBlock.FindStringSubmatch(body)
		if !strings.HasPrefix(title, "##") {
			about = strings.TrimPrefix(title, "# ")
		} else if block != nil && prefixes != "" {
			q := Question{About: about, Title: strings.TrimPrefix(title, "## "),
				Query: declared(prefixes, block[1]) + block[1], File: prefixes + "\n" + block[1]}
			if answer := textBlock.FindStringSubmatch(body); answer != nil {
				q.Answer = answer[1]
			}
			out = append(out, q)
		}
		if prefixes == "" && block != nil {
			prefixes = block[1]
		}
	}
	return out
}

// declared returns the declarations that a query uses.
func declared(prefixes, query string) string {
	var out strings.Builder
	for _, d := range declaration.FindAllStringSubmatch(prefixes, -1) {
		if strings.Contains(query, d[1]) {
			out.WriteString(d[0])
		}
	}
	return out.String()
}
