package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
)

// explain prints the plan of a query, as text or, with --format json, as JSON.
func (p *program) explain(ctx context.Context, c *config.Config, text string, q *sparql.Query) error {
	if c.Format != "" && c.Format != "table" && c.Format != "json" {
		return &config.Error{Msg: "an explanation can't be printed as " + c.Format, Hint: "Give --format one of table, json."}
	}
	var x *sparql.Explanation
	var err error
	if c.URL != "" {
		err = postQuery(ctx, c, "/query/explain", text, "application/json", func(body io.Reader) error {
			if err := json.NewDecoder(body).Decode(&x); err != nil || x == nil || x.Plan == nil {
				return errors.Join(errors.New("the service sent no plan"), err)
			}
			return nil
		})
	} else {
		err = withStore(c.Data, func(s *persist.Store) error {
			if x, err = s.Explain(ctx, q, budget.Limits{}); err != nil {
				return fmt.Errorf("explaining the query: %w", err)
			}
			return nil
		})
	}
	if err != nil {
		return err
	}
	if c.Format == "json" {
		return json.NewEncoder(p.stdout).Encode(x)
	}
	_, err = io.WriteString(p.stdout, x.String())
	return err
}
