package cli

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/rdf"
)

func withdraw() verb {
	return verb{
		name:    "withdraw",
		args:    "[LOG…]",
		summary: "Take logs back: remove what only they contributed.",
		detail: `Withdraws the logs with these ids, which POST /ttl and ` + "`segraph load`" + ` print, or all logs that match
--user, --robot, --kind, --from, --to and --query. The latter are only listed unless --yes is given.
Triples that other logs contributed too stay, as do shared contexts that something else holds, and the
journal keeps who sent what and when. A log that was partly deleted since can't be withdrawn.

It asks the service at --url, with an admin's token or, without one, a one-minute token signed with
SECRET_KEY. Without --url it uses the file, which no service may be using.`,
		settings: []string{"data", "url", "user", "robot", "kind", "from", "to", "query", "yes", "token-file", "token", "secret-key", "secret-key-previous", "allow-short-secret"},
		run:      runWithdraw,
	}
}

// withdrawer withdraws a choice of logs, of a file or a service.
type withdrawer func(ctx context.Context, c service.Choice, preview bool) (*service.Withdrawal, error)

func runWithdraw(ctx context.Context, p *program, c *config.Config) error {
	choice, err := p.choiceOf(c)
	if err != nil {
		return err
	}
	chosen := !choice.IsEmpty()
	if chosen == (len(c.Args) > 0) {
		return &config.Error{Msg: "which logs?", Hint: "Give their ids, or choose them with --user, --robot, --kind, --from, --to and --query."}
	}
	return asAdmin(c, chosen && !c.Yes, func(call caller) error { return p.withdrawWith(ctx, c, choice, withdrawerBy(call)) })
}

// withdrawWith withdraws the logs that choice selects, or only lists them without --yes. If choice
// is empty, it withdraws those with the ids in the arguments. A refusal is an error.
func (p *program) withdrawWith(ctx context.Context, c *config.Config, choice service.Choice, withdraw withdrawer) error {
	if !choice.IsEmpty() {
		return p.withdrawChosen(ctx, choice, withdraw, !c.Yes)
	}
	for ids := c.Args; len(ids) > 0; ids = ids[min(len(ids), service.MaxWithdrawn):] {
		out, err := withdraw(ctx, service.Choice{Logs: ids[:min(len(ids), service.MaxWithdrawn)]}, false)
		if err != nil {
			return fmt.Errorf("withdrawing logs: %w", err)
		}
		if err := p.printWithdrawn(out); err != nil {
			return err
		}
		if out.Contexts.Named > 0 {
			if _, err := fmt.Fprintln(p.stdout, contextsGone(out.Contexts)); err != nil {
				return err
			}
		}
		for _, l := range out.Logs {
			if l.Refused != "" {
				return fmt.Errorf("withdrawing the log %s: %s", printable(l.LogID), printable(l.Refused))
			}
		}
	}
	return nil
}

// choiceOf returns what the flags choose.
func (p *program) choiceOf(c *config.Config) (choice service.Choice, err error) {
	choice.User, choice.Since, choice.Until = c.User, c.Choice.From, c.Choice.To
	for to, iri := range map[*rdf.Term]string{&choice.Robot: c.Robot, &choice.Kind: c.Kind} {
		if iri != "" {
			*to = rdf.NewIRI(iri)
		}
	}
	if c.Choice.Query != "" {
		choice.Query, err = p.queryText(&config.Config{File: c.Choice.Query})
	}
	return choice, err
}

// withdrawChosen withdraws or, with preview, lists the logs of a choice, oldest first, in as many requests as it
// takes. It prints them and the sum.
func (p *program) withdrawChosen(ctx context.Context, choice service.Choice, withdraw withdrawer, preview bool) error {
	logs, refused, sum := 0, 0, service.Withdrawal{}
	var ids []string // that a query chose before the first log is withdrawn, since it may need what that said
	if choice.Query != "" && !preview {
		var err error
		if ids, err = listChosen(ctx, choice, withdraw); err != nil {
			return err
		}
		choice = service.Choice{}
	}
	for more := !choice.IsEmpty() || len(ids) > 0; more; {
		if len(ids) > 0 {
			n := min(len(ids), service.MaxWithdrawn)
			choice.Logs, ids = ids[:n], ids[n:]
		}
		out, err := withdraw(ctx, choice, preview)
		if err != nil {
			return fmt.Errorf("withdrawing logs: %w", err)
		}
		if err := p.printWithdrawn(out); err != nil {
			return err
		}
		logs, sum.Removed, sum.Stayed = logs+len(out.Logs), sum.Removed+out.Removed, sum.Stayed+out.Stayed
		sum.Contexts.Named += out.Contexts.Named
		sum.Contexts.Removed, sum.Contexts.Stayed = sum.Contexts.Removed+out.Contexts.Removed, sum.Contexts.Stayed+out.Contexts.Stayed
		for _, l := range out.Logs {
			if l.Refused != "" {
				refused++
			}
		}
		if out.Next != nil {
			choice.After = *out.Next
		}
		more = out.Next != nil || len(ids) > 0
	}
	rest := "removed"
	if preview {
		rest = "would be removed"
	}
	rest = fmt.Sprintf("logs: %d; %s %s, %d stay", logs, triples(int64(sum.Removed)), rest, sum.Stayed)
	if preview && sum.Contexts.Named > 0 {
		rest += fmt.Sprintf("; shared contexts that they name: %d", sum.Contexts.Named)
	} else if sum.Contexts.Named > 0 {
		rest += "; " + contextsGone(sum.Contexts)
	}
	if preview && logs > 0 {
		rest += "; nothing was changed: --yes withdraws them"
	}
	if _, err := fmt.Fprintln(p.stdout, rest); err != nil {
		return err
	}
	if refused > 0 {
		return fmt.Errorf("logs that can't be withdrawn: %d", refused)
	}
	return nil
}

// listChosen returns the ids of the logs of a choice.
func listChosen(ctx context.Context, choice service.Choice, withdraw withdrawer) (ids []string, err error) {
	for {
		out, err := withdraw(ctx, choice, true)
		if err != nil {
			return nil, fmt.Errorf("listing the logs to withdraw: %w", err)
		}
		for _, l := range out.Logs {
			ids = append(ids, l.LogID)
		}
		if out.Next == nil {
			return ids, nil
		}
		choice.After = *out.Next
	}
}

func contextsGone(n store.WithdrawnContexts) string {
	return fmt.Sprintf("shared contexts: %d removed, %d kept for something else", n.Removed, n.Stayed)
}

// printWithdrawn prints a line for each log.
func (p *program) printWithdrawn(out *service.Withdrawal) (err error) {
	for _, l := range out.Logs {
		switch id := printable(l.LogID); {
		case err != nil:
			return err
		case out.Preview:
			_, err = fmt.Fprintf(p.stdout, "%s  %s  %s  %s\n", id, l.Time.Format(time.RFC3339), printable(l.User), triples(int64(l.Triples)))
		case l.Refused != "":
			_, err = fmt.Fprintf(p.stdout, "%s: not withdrawn: %s\n", id, printable(l.Refused))
		default:
			_, err = fmt.Fprintf(p.stdout, "%s: withdrawn, %s removed, %s kept for other logs\n", id, triples(int64(l.Removed)), triples(int64(l.Stayed)))
		}
	}
	return err
}

// withdrawerBy withdraws logs by the API.
func withdrawerBy(call caller) withdrawer {
	return func(ctx context.Context, choice service.Choice, preview bool) (out *service.Withdrawal, err error) {
		body := map[string]any{"preview": preview, "user": choice.User, "robot": choice.Robot.Value(), "kind": choice.Kind.Value(), "query": choice.Query, "after": choice.After}
		if choice.Logs != nil {
			body = map[string]any{"logs": choice.Logs}
		}
		for name, at := range map[string]time.Time{"from": choice.Since, "to": choice.Until} {
			if !at.IsZero() {
				body[name] = at.Format(time.RFC3339Nano)
			}
		}
		err = call(ctx, http.MethodPost, "/logs/withdraw", body, http.StatusOK, &out)
		return out, err
	}
}
