package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/service"
)

func personVerb() verb {
	return verb{
		name:    "person",
		args:    "IRI",
		summary: "Show all that is kept of a person, or export it.",
		detail: `Lists names, messages, emotions, decisions, shared contexts, cases, logs, notes and snapshots with a
person, under this IRI and others that were decided to be theirs, how long logs are kept, legal holds,
and who asked before. With --format json all of it is JSON; with turtle, ntriples, rdfxml or jsonld the
triples are exported. ` + "`segraph evidence --iri IRI`" + ` makes a bundle that proves them.

The journal has an entry for each look. The command asks the service at --url, with an admin's token
or, without one, a one-minute token signed with SECRET_KEY. Without --url it uses the file, which no
service may be using; it can't know then how long the service keeps logs.`,
		settings: []string{"data", "url", "snapshot-dir", "format", "token-file", "token", "secret-key", "secret-key-previous", "allow-short-secret"},
		run:      runPerson,
	}
}

// personPage is how many facts of each list the command reads at once, the most that the API allows. The journal has an entry
// for each time.
const personPage = 1000

// runPerson prints what is kept of a person, by the service or from the file. Other formats are those of a query of the export.
func runPerson(ctx context.Context, p *program, c *config.Config) (err error) {
	if len(c.Args) != 1 {
		return &config.Error{Msg: "whom?", Hint: "Give the person's absolute IRI."}
	}
	var person *service.Person
	shown := slices.Contains([]string{"", "text", "json"}, c.Format)
	if c.URL == "" {
		if err := withStore(c.Data, func(*persist.Store) error { return nil }); err != nil { // who was erased may be in it
			return err
		}
	}
	err = asAdmin(c, forWriting, func(call caller) error { // for writing, because the journal gets an entry
		person, err = readPerson(shown, func(offset int) (x *service.Person, err error) {
			path := fmt.Sprintf("/admin/person?offset=%d&limit=%d&iri=%s", offset, personPage, url.QueryEscape(c.Args[0]))
			return x, call(ctx, http.MethodGet, path, nil, http.StatusOK, &x)
		})
		return err
	})
	switch {
	case err != nil:
		return err
	case c.Format == "json":
		e := json.NewEncoder(p.stdout)
		e.SetIndent("", "  ")
		return e.Encode(person)
	case shown:
		return p.printPerson(person)
	}
	if c.Token, err = adminToken(c); err != nil {
		return err
	}
	c.TokenFile, c.Args = "", []string{person.Export}
	return runQuery(ctx, p, c)
}

// readPerson returns the first page or, if all is set, the facts of all pages.
func readPerson(all bool, page func(offset int) (*service.Person, error)) (*service.Person, error) {
	person, err := page(0)
	for offset := personPage; err == nil && all; offset += personPage {
		lists := factsOf(person)
		if !slices.ContainsFunc(lists, func(l *service.PersonFacts) bool { return l.Count > offset }) {
			break
		}
		var next *service.Person
		if next, err = page(offset); err == nil {
			for i, l := range factsOf(next) {
				lists[i].Facts = append(lists[i].Facts, l.Facts...)
			}
		}
	}
	return person, err
}

// factsOf returns the lists of facts that come in pages.
func factsOf(x *service.Person) []*service.PersonFacts {
	return []*service.PersonFacts{&x.Said, &x.Received, &x.Emotions, &x.Decisions, &x.Contexts, &x.Cases, &x.Logs}
}

// printPerson prints all that is kept of a person.
func (p *program) printPerson(x *service.Person) error {
	var b strings.Builder
	list := func(what string, all []string) {
		fmt.Fprintf(&b, "%s: %d\n", what, len(all))
		for _, line := range all {
			fmt.Fprintf(&b, "  %s\n", printable(line))
		}
	}
	list("IRIs", x.IRIs)
	list("names", x.Names)
	list("other IRIs that contain one of these", x.Containing)
	names := []string{"messages sent", "messages received", "emotions read", "decisions", "shared contexts", "review cases", "logs"}
	for i, l := range factsOf(x) {
		fmt.Fprintf(&b, "%s: %d\n", names[i], l.Count)
		for _, f := range l.Facts {
			fmt.Fprintf(&b, "  %s  %s  %s  %s\n", cmp.Or(printable(f.Time), "-"), printable(f.IRI), cmp.Or(printable(f.By), "-"), printable(f.Text))
		}
	}
	list("notes", x.Notes)
	list("snapshots", x.Snapshots)
	held := make([]string, len(x.Holds))
	for i, h := range x.Holds {
		held[i] = h.ID + ": " + h.Reason
	}
	list("legal holds", held)
	list("rules of retention", x.Kept)
	fmt.Fprintf(&b, "looks: %d\n", len(x.Looks))
	for _, l := range x.Looks {
		fmt.Fprintf(&b, "  %s  %s\n", l.Time.Format(time.RFC3339), printable(l.By))
	}
	_, err := fmt.Fprint(p.stdout, b.String())
	return err
}
