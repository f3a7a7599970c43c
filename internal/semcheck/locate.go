package semcheck

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/segraph/segraph/store/format"
	"github.com/segraph/segraph/store/rdf"
)

// Locate sets the line and column of each issue to the place where the issue's triple ends.
// r must be a new reader of the text that was checked, because a Document does not keep
// positions. The error is r's or the context's.
func Locate(ctx context.Context, issues []Issue, r format.Reader) error {
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

// about reports whether an issue about q's subject is about q. An issue without a
// predicate is about the subject itself, so any quad of the subject matches.
func about(i *Issue, q rdf.Quad) bool {
	return i.Predicate == nil || *i.Predicate == *text(q.P) && (i.Value == nil || *i.Value == *text(q.O))
}
