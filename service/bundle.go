package service

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/evidence"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/translog"
	"github.com/segraph/segraph/store/rdf"
)

// Bundles makes evidence bundles. *evidence.Source implements it.
type Bundles interface {
	Bundle(ctx context.Context, r evidence.Request) (io.WriterTo, error)
}

// Prove makes an evidence bundle. The caller closes it. Bundles share the turns and the
// disk of exports. The error is an *Error if there is nothing to prove, or too much.
func (s *Service) Prove(ctx context.Context, actor auth.Actor, about evidence.About) (io.ReadCloser, error) {
	if s.config.Bundles == nil {
		return nil, refuse(NotFound, "this service keeps no transparency log")
	}
	about.First, about.Count = 0, 0 // Make finds them
	if err := about.Check(); err != nil {
		return nil, refuse(Invalid, "%v", err)
	}
	if about.Query != "" {
		if _, err := s.Prepare(ctx, Query{Text: about.Query}); err != nil {
			return nil, err
		}
	}
	size := min(evidence.MaxBytes, s.config.Limits.Memory/8)
	needs := 2 * size // the members, and the page with what it is made of
	text, err := s.makeText(ctx, s.exporters, needs, "", func(ctx context.Context) (store.Export, error) {
		b, err := s.config.Bundles.Bundle(ctx, evidence.Request{About: about, By: actor.Username, Now: s.config.Now(), MaxBytes: size, Ask: s.askForBundle})
		return untagged{b}, err
	})
	return text, ofBundle(err)
}

// askForBundle runs a query like a client's.
func (s *Service) askForBundle(ctx context.Context, text string, triple func(rdf.Triple) error) error {
	q, err := s.Prepare(ctx, Query{Text: text})
	if err != nil {
		return err
	}
	return s.Ask(ctx, q, text, nil, triple)
}

// ofBundle turns the errors of package evidence into refusals.
func ofBundle(err error) error {
	switch {
	case errors.Is(err, store.ErrNoLog):
		return noLog()
	case errors.Is(err, evidence.ErrNothing):
		return refuse(NotFound, "%v", evidence.ErrNothing)
	case errors.Is(err, evidence.ErrTooMuch):
		return refuse(Invalid, "%v", evidence.ErrTooMuch)
	case errors.Is(err, evidence.ErrNoPatterns):
		return refuse(Invalid, "%v", evidence.ErrNoPatterns)
	case errors.Is(err, translog.ErrBehind):
		return ofTranslog(err)
	case err != nil && ErrorOf(err) == nil:
		return fmt.Errorf("make an evidence bundle: %w", err)
	}
	return err
}
