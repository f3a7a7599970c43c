package semcheck

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Locate returns issues the line and column where the triple that each is about ends, by
// reading the text once more, since a Document does not know where its quads stood. r
// must be a new reader of the very text that was checked. The error is r's or ctx's.
func Locate(ctx context.Context, issues []Issue, r *turtle.Reader) error {
	wanted := map[string][]*Issue{} // by focus node
	left := 0
	for i := range issues {
		if issue := &issues[i]; issue.FocusNode != nil && issue.Line == nil {
			wanted[*issue.FocusNode] = append(wanted[*issue.FocusNode], issue)
			left++
		}
	}
	for n := 0; left > 0; n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return fmt.Errorf("locate issues: %w", ctx.Err())
		}
		q, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("locate issues: %w", err)
		}
		for _, issue := range wanted[*text(q.S)] {
			if issue.Line == nil && about(issue, q) {
				line, column := r.Place()
				issue.Line, issue.Column = &line, &column
				left--
			}
		}
	}
	return nil
}

// about reports whether an issue with the quad's subject is about the quad. One without a
// predicate is about the subject, so the first quad of it will do.
func about(i *Issue, q rdf.Quad) bool {
	return i.Predicate == nil || *i.Predicate == *text(q.P) && (i.Value == nil || *i.Value == *text(q.O))
}
