package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/store/holds"
)

func hold() verb {
	return verb{
		name:    "hold",
		args:    "add|list|lift ID",
		summary: "Forbid that a person, a log or a time is removed.",
		detail: `"segraph hold add" puts under a legal hold what --iri (a person), --log, or --from and --to (all logs
of that time, such as a session) name, for a --reason and, unless --until is given, until it is lifted.
Retention and erasures leave it. "segraph hold list" lists the holds in force, and "segraph hold lift"
ends one. The journal has an entry for each change.

They ask the service at --url, with an admin's token or, without one, a one-minute token signed with
SECRET_KEY. Without --url they use the file, which no service may be using.`,
		settings: []string{"data", "url", "iri", "log", "from", "to", "reason", "until", "token-file", "token", "secret-key", "secret-key-previous", "allow-short-secret"},
		run:      runHold,
	}
}

func runHold(ctx context.Context, p *program, c *config.Config) error {
	a := c.Args
	switch {
	case len(a) == 1 && a[0] == "add":
		return p.addHold(ctx, c)
	case len(a) == 1 && a[0] == "list":
		return p.listHolds(ctx, c)
	case len(a) == 2 && a[0] == "lift":
		return p.liftHold(ctx, c, a[1])
	}
	return &config.Error{Msg: "hold has three subcommands: add, list and lift", Hint: "See `segraph hold -h`."}
}

// addHold puts a hold on a person, a log or the logs between two times, and prints its id.
func (p *program) addHold(ctx context.Context, c *config.Config) error {
	v := &c.Choice
	if len(v.Logs) > 1 {
		return &config.Error{Msg: "a legal hold is on one log", Hint: "Run the command once for each."}
	}
	body := map[string]any{"reason": c.Reason}
	if v.IRI != "" {
		body["person"] = v.IRI
	}
	if len(v.Logs) == 1 {
		body["log_id"] = v.Logs[0]
	}
	for name, at := range map[string]time.Time{"from": v.From, "to": v.To, "until": c.HoldUntil} {
		if !at.IsZero() {
			body[name] = at.Format(time.RFC3339Nano)
		}
	}
	var h holds.Hold
	err := callJSON(ctx, c, http.MethodPost, "/admin/holds", body, http.StatusCreated, &h)
	if err == nil {
		_, err = fmt.Fprintln(p.stdout, h.ID)
	}
	return err
}

// listHolds prints the legal holds, from the service or the file.
func (p *program) listHolds(ctx context.Context, c *config.Config) error {
	var list struct{ Holds []holds.Hold }
	err := callJSON(ctx, c, http.MethodGet, "/admin/holds", nil, http.StatusOK, &list)
	if err == nil && len(list.Holds) == 0 {
		_, err = fmt.Fprintln(p.stdout, "there are no legal holds")
	}
	for _, h := range list.Holds {
		if err != nil {
			break
		}
		until := "until it is lifted"
		if !h.Until.IsZero() {
			until = "until " + h.Until.Format(time.RFC3339)
		}
		_, err = fmt.Fprintf(p.stdout, "%s  %s  %s  by %s at %s: %s\n", printable(h.ID), printable(h.String()), until, printable(h.By), h.Since.Format(time.RFC3339), printable(h.Reason))
	}
	return err
}

func (p *program) liftHold(ctx context.Context, c *config.Config, id string) error {
	var h holds.Hold
	err := callJSON(ctx, c, http.MethodPost, "/admin/holds/"+url.PathEscape(id)+"/lift", struct{}{}, http.StatusOK, &h)
	if err == nil {
		_, err = fmt.Fprintf(p.stdout, "the legal hold %s on %s has ended\n", printable(h.ID), printable(h.String()))
	}
	return err
}
