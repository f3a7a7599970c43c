// Package docs embeds documentation that the program also uses: the questions of
// queries.md, which the web UI offers as examples.
package docs

import (
	_ "embed"
	"regexp"
	"strings"
)

//go:embed queries.md
var queries string

// Question is a question on a page, with a query that can be run unchanged.
type Question struct {
	About string // heading of its section
	Title string
	Query string // with the prefixes that it uses
	File  string // with all prefixes of the page
}

var (
	sparqlBlock = regexp.MustCompile("(?s)```sparql\n(.*?)```")
	declaration = regexp.MustCompile(`(?m)^PREFIX +(\S*:) +<[^>]*>\n`)
	notInName   = regexp.MustCompile(`[^a-z0-9]+`)
)

// Name converts a title to lower case with hyphens. This is the name of the question's
// file in examples (.rq, with its answer in .txt), and of its example in the web UI.
func Name(title string) string {
	return strings.Trim(notInName.ReplaceAllString(strings.ToLower(title), "-"), "-")
}

// Questions returns the questions of queries.md, in page order.
func Questions() []Question { return QuestionsOf(queries) }

// QuestionsOf returns the questions of a page, in page order. The first block of SPARQL
// on the page declares the prefixes.
func QuestionsOf(page string) []Question {
	var out []Question
	about, prefixes := "", ""
	for part := range strings.SplitSeq(page, "\n#") {
		title, body, _ := strings.Cut(part, "\n")
		block := sparqlBlock.FindStringSubmatch(body)
		if !strings.HasPrefix(title, "##") {
			about = strings.TrimPrefix(title, "# ")
		} else if block != nil && prefixes != "" {
			out = append(out, Question{About: about, Title: strings.TrimPrefix(title, "## "),
				Query: declared(prefixes, block[1]) + block[1], File: prefixes + "\n" + block[1]})
		}
		if prefixes == "" && block != nil {
			prefixes = block[1]
		}
	}
	return out
}

// declared returns the prefix declarations that a query uses.
func declared(prefixes, query string) string {
	var out strings.Builder
	for _, d := range declaration.FindAllStringSubmatch(prefixes, -1) {
		if strings.Contains(query, d[1]) {
			out.WriteString(d[0])
		}
	}
	return out.String()
}
