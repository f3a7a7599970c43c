package cli

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"

	"github.com/segraph/segraph/app"
	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/internal/backup"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/forgotten"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/log/translog"
)

func erase() verb {
	return verb{
		name:    "erase",
		args:    "IRI",
		summary: "Erase a person: remove them from logs, contexts and the journal.",
		detail: `Removes a person from the file: the triples with this IRI, or one that continues it after # / or ?,
the texts of what names the person and of its activities, observations' texts, notes, kept answers and
values of the journal. If an admin has decided that the person has other names, it removes these too. It
says how much, and which texts with the name stay, and unless --yes is given, it only enters that look
in the journal. The names join a list beside the file, the name of the file with .forgotten: robots that
still send them, and backups, do not bring the person back. Keep that list. Then it overwrites what the
file still holds of them, and removes all snapshots. Copies elsewhere, such as backups, keep them. What
is under a legal hold can't be erased.

With --pseudonymise, what they did stays, under a random IRI; what they said goes. No service may be
using the file. ` + "`segraph check --forgotten IRI`" + ` lists where they are still found. With --out, it writes
the receipt for the person, which ` + "`segraph evidence verify`" + ` verifies.`,
		settings: []string{"data", "reason", "pseudonymise", "yes", "out", "origin", "signing-key", "snapshot-dir", "two-persons"},
		run:      runErase,
	}
}

func runErase(ctx context.Context, p *program, c *config.Config) error {
	if len(c.Args) != 1 || !journal.NamesPerson(c.Args[0]) {
		return &config.Error{Msg: "whom?", Hint: "Give the person's absolute IRI."}
	}
	if sameFile(c.Out, c.Data) {
		return &config.Error{Msg: "--out is the store's own file " + c.Data, Hint: "Name another file to write to."}
	}
	if c.Yes && c.Reason == "" {
		return &config.Error{Msg: "why?", Hint: "Give --reason TEXT, which the journal keeps; it must not name the person."}
	}
	if c.Yes && c.TwoPersons {
		return &config.Error{Msg: "another admin must confirm an erasure (SEGRAPH_TWO_PERSONS), and this command has one user", Hint: "Ask for it on the page /personal-data of the running service, or by POST /admin/erasures."}
	}
	return withContexts(c, forWriting, func(s *persist.Store, contexts *resolver.Resolver) error { return p.erase(ctx, c, s, contexts) })
}

// erase erases the person that c names, or counts what it would erase.
func (p *program) erase(ctx context.Context, c *config.Config, s *persist.Store, contexts *resolver.Resolver) error {
	if s.Forgotten.Has(c.Args[0]) {
		if done, err := s.Forgotten.Complete(); err != nil || done {
			return cmp.Or(err, errors.New("this person was erased already; segraph check --forgotten IRI lists where they are still found"))
		}
	}
	to := ""
	if c.Pseudonymise {
		to = "urn:uuid:" + uuid.NewString()
	}
	e := journal.Entry{LogID: journal.NewLogID(), Action: journal.Erasure, Time: time.Now().UTC(), Actor: operator(), Detail: c.Reason}
	graph := persist.ResolvedGraph{Graph: s, Store: s, Resolver: contexts}
	plan, err := graph.PreviewErasure(ctx, c.Args[0], to, e)
	if err != nil {
		return err
	}
	folder, err := backup.NewFolder(backup.Options{Path: app.SnapshotFolder(c, c.Data), Data: c.Data})
	if err != nil {
		return err
	}
	snapshots, err := folder.List()
	if err != nil {
		return fmt.Errorf("listing the snapshots: %w", err)
	}
	for _, name := range plan.IRIs[1:] {
		fmt.Fprintf(p.stdout, "another name of this person: %s\n", printable(name))
	}
	service, err := serviceOf(c, s, contexts)
	if err != nil {
		return err
	}
	if !c.Yes {
		look := journal.Entry{LogID: journal.NewLogID(), Action: journal.Look, Time: e.Time, Actor: e.Actor, Subject: c.Args[0]}
		if _, err := service.EnterLooks(ctx, look); err != nil {
			return err
		}
		if err := p.printMentions(ctx, service, plan.IRIs); err != nil {
			return err
		}
		return p.printErased(plan.Erased, len(snapshots), "nothing was changed: --yes erases them")
	}
	if err := service.CheckReason(ctx, c.Args[0], c.Reason); err != nil {
		return err
	}
	done, erased, err := carryOutErasure(ctx, c, s, func() (store.Erased, error) { return graph.Erase(ctx, c.Args[0], to, e) })
	if erased { // whatever becomes of the output, first do all of it
		err = errors.Join(err, purgeErased(ctx, s, folder))
		err = errors.Join(err, p.printErased(done, len(snapshots), fmt.Sprintf("erased: log index %d, salt %s", done.Index-1, done.Salt)))
	}
	return err
}

// carryOutErasure calls erase, and writes the receipt if c asks for one. With an error, erased says whether the person was
// erased nevertheless.
func carryOutErasure(ctx context.Context, c *config.Config, s *persist.Store, erase func() (store.Erased, error)) (done store.Erased, erased bool, err error) {
	if c.Out == "-" {
		done, err = erase()
		return done, err == nil, err
	}
	log, err := logOf(c, s) // before anything is erased
	if err != nil {
		return done, false, err
	}
	err = replaceFile(c.Out, func(w io.Writer) error { // nothing else makes this receipt, so its file is created before they are erased
		if done, err = erase(); err != nil {
			return err
		}
		erased = true
		return writeErasureReceipt(context.WithoutCancel(ctx), log, c.Args[0], done, w)
	})
	return done, erased, err
}

// printErased prints how much an erasure takes, or took, and then a last line.
func (p *program) printErased(done store.Erased, snapshots int, last string) error {
	_, err := fmt.Fprintf(p.stdout, "IRIs: %d\ntriples: %d, of %d logs\nobservations: %d, in %d contexts\nnotes: %d\nkept answers: %d\njournal entries: %d\nsnapshots: %d\n%s\n",
		done.Terms, done.Triples, done.Logs, done.Observations, done.Contexts, done.Notes, done.Answers, done.Entries, snapshots, last)
	return err
}

// purgeErased removes what an erasure left in the file, and all snapshots.
func purgeErased(ctx context.Context, s *persist.Store, folder *backup.Folder) error {
	err := s.Purge(ctx, folder.RemoveAll)
	if err == nil { // the service may have another folder of snapshots, which its next start then empties
		err = s.Update(ctx, func(tx *engine.Tx) error { return forgotten.MarkOld(tx.KV()) })
	}
	if err != nil { // not wrapped: the hint at an interruption is that nothing was stored
		return fmt.Errorf("the person is erased, but the bytes of old pages and snapshots may still hold them until the service starts: %v", err)
	}
	return nil
}

// maxMentions is how many texts printMentions lists.
const maxMentions = 100

// printMentions lists texts that stay when a person is erased, though they mention a name of the person.
func (p *program) printMentions(ctx context.Context, service *service.Service, iris []string) error {
	stay, err := service.Mentions(ctx, iris, maxMentions)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "texts with the name that stay: %d\n", stay.Count)
	for _, f := range stay.Facts {
		fmt.Fprintf(p.stdout, "  %s: %s\n", printable(f.IRI), printable(f.Text))
	}
	return nil
}

// writeErasureReceipt writes what proves to a person, and to whom they show it, that they were erased.
func writeErasureReceipt(ctx context.Context, log *translog.Log, person string, done store.Erased, w io.Writer) error {
	r, err := log.Receipt(ctx, done.Index)
	if err != nil {
		return fmt.Errorf("making the receipt: %w", err)
	}
	salt, err := base64.RawStdEncoding.DecodeString(done.Salt)
	if err != nil {
		return fmt.Errorf("reading the salt: %w", err)
	}
	return json.NewEncoder(w).Encode(service.PersonReceipt{Receipt: service.Receipt{Index: &r.Index, Receipt: r.Proof, Salt: salt}, Person: person})
}
