package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
)

// explain prints the plan of a query, as text or, with --format json, as JSON.
func (p *program) explain(ctx context.Context, c *config.Config, text string, q *sparql.Query) error {
	media := "text/plain"
	switch c.Format {
	case "", "table":
	case "json":
		media = "application/json"
	default:
		return &config.Error{Msg: "an explanation can't be printed as " + c.Format, Hint: "Give --format one of table, json."}
	}
	if c.URL != "" {
		return postQuery(ctx, c, "/query/explain", text, media, func(body io.Reader) error {
			_, err := io.Copy(p.stdout, body)
			return err
		})
	}
	return withStore(c.Data, func(s *persist.Store) error {
		x, err := s.Explain(ctx, q, budget.Limits{})
		if err != nil {
			return fmt.Errorf("explaining the query: %w", err)
		}
		if c.Format == "json" {
			return json.NewEncoder(p.stdout).Encode(x)
		}
		_, err = io.WriteString(p.stdout, x.String())
		return err
	})
}
