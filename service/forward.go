package service

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/segraph/segraph/store/fleet/box"
	"github.com/segraph/segraph/store/fleet/centre"
	"github.com/segraph/segraph/store/fleet/pack"
)

// Centre receives the journals of boxes. *centre.Centre implements it.
type Centre interface {
	Newest(log string) (note string, err error)
	Receive(ctx context.Context, sent func() ([]byte, error)) (note string, err error)
	Boxes() ([]centre.Status, error)
}

// packReasons maps the reasons of a centre to the kinds of refusals.
var packReasons = map[pack.Reason]Kind{
	pack.Garbled:   Malformed,
	pack.Malformed: Invalid,
	pack.Gap:       Conflict,
	pack.Key:       Forbidden,
	pack.Fork:      Invalid,
	pack.Altered:   Invalid,
	pack.Held:      Invalid,
	pack.Shared:    Invalid,
}

// StoreForwarded stores a pack of a box, which sent returns once there is memory for it, and returns the confirmation.
func (s *Service) StoreForwarded(ctx context.Context, sent func() ([]byte, error)) (note string, err error) {
	if s.config.Centre == nil {
		return "", noCentre()
	}
	if s.config.Lag != nil {
		return "", refuse(Forbidden, "this centre reads a stream (SEGRAPH_FORWARD_FROM); name its NATS servers in the box's SEGRAPH_FORWARD_TO")
	}
	note, err = s.config.Centre.Receive(ctx, sent)
	return note, forwardError(err)
}

// NewestForwarded returns the newest confirmation for a box's log, or "" if nothing of it arrived.
func (s *Service) NewestForwarded(log string) (note string, err error) {
	if s.config.Centre == nil {
		return "", noCentre()
	}
	note, err = s.config.Centre.Newest(log)
	return note, forwardError(err)
}

// EraseForwarded runs do, which erases people from the store, and then erases them, under all their names, from
// memory too.
func (s *Service) EraseForwarded(ctx context.Context, iris []string, do func(context.Context) error) error {
	end, err := s.erasures.alone(ctx)
	if err != nil {
		return err
	}
	defer end()
	all := slices.Clone(iris)
	for _, iri := range iris { // before this centre's decisions about their names are gone
		names, err := s.namesOf(iri)
		if err != nil {
			return err
		}
		all = append(all, names...)
	}
	err = do(context.WithoutCancel(ctx))
	if err == nil {
		s.erased(all)
	}
	return err
}

func noCentre() error {
	return refuse(NotFound, "this service is no centre; name its boxes in SEGRAPH_BOXES")
}

// forwardError turns an error about a box's journal into a refusal, unless it is the server's fault.
func forwardError(err error) error {
	refused, ok := errors.AsType[*pack.Refusal](err)
	switch {
	case err == nil:
		return nil
	case ok:
		return refuse(packReasons[refused.Reason], "%s", refused.Detail)
	case errors.Is(err, centre.ErrUnknown):
		return refuse(NotFound, "%s", err)
	}
	return fmt.Errorf("receive a journal: %w", err)
}

// Fleet is the state of the links to centres, and of the boxes of this centre.
type Fleet struct {
	Centres []box.Status
	Boxes   []centre.Status
	Late    string // that this centre is behind its stream, and why, as sentences; "" if it is not
}

// late is how far a centre may be behind its stream before a page says so.
const late = 10 * time.Second

// Fleet returns the state of the links to centres, and of the boxes of this centre.
func (s *Service) Fleet() (f Fleet, err error) {
	if s.config.Forwarding != nil {
		f.Centres = s.config.Forwarding()
	}
	if s.config.Lag != nil {
		if lag, why := s.config.Lag(); lag > late {
			f.Late = "This centre has not read all of its stream."
			if why != "" {
				f.Late += " " + Sentence(why)
			}
		}
	}
	if s.config.Centre != nil {
		if f.Boxes, err = s.config.Centre.Boxes(); err != nil {
			return f, fmt.Errorf("read the boxes: %w", err)
		}
	}
	return f, nil
}
