// Package docs embeds documentation that the program also uses: the questions of
// queries.md, which the web UI offers as examples.
package docs

import (
	"embed"
	"regexp"
	"strings"
)

//go:embed queries.md
var queries string

//go:embed examples/*.rq
var examples embed.FS

// Question is a question that a page lists, with a query that can be run unchanged.
type Question struct {
	About string // heading of its section
	Title string
	Query string // with the prefixes that it uses
	File  string // its path below the folder docs; its answer is beside it, in .txt
}

var (
	line        = regexp.MustCompile(`(?m)^(?:## (.*)|- \[(.+)\]\((examples/.+\.rq)\).*)$`)
	declaration = regexp.MustCompile(`(?m)^PREFIX +(\S*:) +<[^>]*>\n`)
	notInName   = regexp.MustCompile(`[^a-z0-9]+`)
)

// Name converts a title to lower case with hyphens. This is the name of the question's
// file in examples, and of its example in the web UI.
func Name(title string) string {
	return strings.Trim(notInName.ReplaceAllString(strings.ToLower(title), "-"), "-")
}

// Questions returns the questions of queries.md, in page order.
func Questions() []Question { return QuestionsOf(queries) }

// QuestionsOf returns the questions of a page, in page order.
func QuestionsOf(page string) []Question {
	var out []Question
	about := ""
	for _, m := range line.FindAllStringSubmatch(page, -1) {
		if m[1] != "" {
			about = m[1]
			continue
		}
		text, err := examples.ReadFile(m[3])
		if err != nil {
			panic(err) // a test reads all
		}
		prefixes, query, _ := strings.Cut(string(text), "\n\n")
		out = append(out, Question{About: about, Title: m[2], Query: declared(prefixes+"\n", query) + query, File: m[3]})
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
