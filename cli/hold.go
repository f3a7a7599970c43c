package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/segraph/segraph/app"
	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/internal/backup"
	"github.com/segraph/segraph/logs"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/holds"
	"github.com/segraph/segraph/store/signers"
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
func (p *program) addHold(ctx context.Context, c *config.Config) (err error) {
	v := &c.Choice
	if len(v.Logs) > 1 {
		return &config.Error{Msg: "a legal hold is on one log", Hint: "Run the command once for each."}
	}
	h := holds.Hold{From: v.From, To: v.To, Until: c.HoldUntil, Reason: c.Reason}
	body := map[string]any{"reason": c.Reason}
	if v.IRI != "" {
		h.People, body["person"] = []string{v.IRI}, v.IRI
	}
	if len(v.Logs) == 1 {
		h.Log, body["log_id"] = v.Logs[0], v.Logs[0]
	}
	for name, at := range map[string]time.Time{"from": h.From, "to": h.To, "until": h.Until} {
		if !at.IsZero() {
			body[name] = at.Format(time.RFC3339Nano)
		}
	}
	if c.URL != "" {
		err = callJSON(ctx, c, http.MethodPost, "/admin/holds", body, http.StatusCreated, &h)
	} else {
		err = withService(c, forWriting, func(s *service.Service) error {
			h, err = s.Hold(ctx, auth.Actor{Username: operator()}, h)
			return err
		})
	}
	if err == nil {
		_, err = fmt.Fprintln(p.stdout, h.ID)
	}
	return err
}

// listHolds prints the legal holds, from the service or the file.
func (p *program) listHolds(ctx context.Context, c *config.Config) (err error) {
	var list struct{ Holds []holds.Hold }
	if c.URL != "" {
		err = callJSON(ctx, c, http.MethodGet, "/admin/holds", nil, http.StatusOK, &list)
	} else {
		err = withService(c, forReading, func(s *service.Service) error {
			list.Holds, err = s.LegalHolds()
			return err
		})
	}
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

func (p *program) liftHold(ctx context.Context, c *config.Config, id string) (err error) {
	var h holds.Hold
	if c.URL != "" {
		err = callJSON(ctx, c, http.MethodPost, "/admin/holds/"+url.PathEscape(id)+"/lift", struct{}{}, http.StatusOK, &h)
	} else {
		err = withService(c, forWriting, func(s *service.Service) error {
			h, err = s.LiftHold(ctx, auth.Actor{Username: operator()}, id)
			return err
		})
	}
	if err == nil {
		_, err = fmt.Fprintf(p.stdout, "the legal hold %s on %s has ended\n", printable(h.ID), printable(h.String()))
	}
	return err
}

const forReading, forWriting = true, false // arguments of withService, withContexts and withFile

// withService runs do on a service of the file, which no other service may be using.
func withService(c *config.Config, reading bool, do func(*service.Service) error) error {
	return withContexts(c, reading, func(s *persist.Store, contexts *resolver.Resolver) error {
		service, err := serviceOf(c, s, contexts)
		if err != nil {
			return err
		}
		return do(service)
	})
}

// serviceOf returns a service of an open file.
func serviceOf(c *config.Config, s *persist.Store, contexts *resolver.Resolver) (*service.Service, error) {
	snapshots, err := backup.NewFolder(backup.Options{Path: app.SnapshotFolder(c, c.Data), Data: c.Data})
	if err != nil {
		return nil, err
	}
	return service.New(service.Config{Graph: s, Queries: s, Journal: s, Contexts: contexts, Notes: s.Notes, Holds: holds.Of(s.Store), Signers: signers.Of(s.Store), Forgotten: s.Forgotten, Backups: snapshots,
		Follower: persist.ResolvedGraph{Graph: s, Store: s, Resolver: contexts},
		Log:      logs.New(logs.Options{Name: "none"}), StoreName: "cayley"}), nil
}

// withContexts is withFile with the file's shared contexts.
func withContexts(c *config.Config, reading bool, do func(*persist.Store, *resolver.Resolver) error) error {
	return withFile(c.Data, reading, func(s *persist.Store) error {
		contexts, err := resolver.Open(s.Contexts(), resolver.Options{Settings: resolver.Defaults()})
		if err != nil {
			return fmt.Errorf("opening the shared contexts: %w", err)
		}
		return do(s, contexts)
	})
}

// withFile runs do on the file at a path, which must be there and which no service may be using. reading opens it for
// reading only.
func withFile(path string, reading bool, do func(*persist.Store) error) (err error) {
	s, err := persist.Open(path, persist.Options{Options: engine.Options{Existing: true, ReadOnly: reading, TextIndex: engine.TextIndexAsIs}})
	if err != nil {
		return fmt.Errorf("opening the store: %w", err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return do(s)
}
