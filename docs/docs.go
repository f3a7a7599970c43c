// Package docs holds the documents that the program shows too: the questions of queries.md, which are the
// stock of examples of the web UI.
package docs

import (
	_ "embed"
	"regexp"
	"strings"
)

//go:embed queries.md
var queries string

// Question is one of queries.md, with a query that runs as it stands.
type Question struct {
	About string // the part that it is in
	Title string
	Query string
}

var (
	sparqlBlock = regexp.MustCompile("(?s)```sparql\n(.*?)```")
	declaration = regexp.MustCompile(`(?m)^PREFIX +(\S*:) +<[^>]*>\n`)
)

// Questions gives all of queries.md, in its order. Each query declares the prefixes that it uses.
func Questions() []Question {
	var out []Question
	about, prefixes := "", ""
	for part := range strings.SplitSeq(queries, "\n#") {
		title, body, _ := strings.Cut(part, "\n")
		block := sparqlBlock.FindStringSubmatch(body)
		switch {
		case !strings.HasPrefix(title, "##"):
			about = strings.TrimPrefix(title, "# ")
		case block != nil && prefixes != "":
			out = append(out, Question{About: about, Title: strings.TrimPrefix(title, "## "), Query: declared(prefixes, block[1]) + block[1]})
		}
		if prefixes == "" && block != nil {
			prefixes = block[1]
		}
	}
	return out
}

// declared gives the declarations that a query uses.
func declared(prefixes, query string) string {
	var out strings.Builder
	for _, d := range declaration.FindAllStringSubmatch(prefixes, -1) {
		if strings.Contains(query, d[1]) {
			out.WriteString(d[0])
		}
	}
	return out.String()
}
