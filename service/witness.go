package service

import (
	"context"
	"errors"
	"fmt"

	"github.com/segraph/segraph/store/log/cosigners"
	"github.com/segraph/segraph/store/log/witness"
)

// Witness cosigns checkpoints of other logs. *witness.Witness implements it.
type Witness interface {
	Add(ctx context.Context, request []byte) (line string, err error)
	Checkpoint(hash string) (signed string, ok bool)
	Status() []witness.Status
}

// reasons maps the reasons of a witness to the kinds of refusals.
var reasons = map[witness.Reason]Kind{
	witness.Malformed:    Malformed,
	witness.Forbidden:    Forbidden,
	witness.Unknown:      NotFound,
	witness.Inconsistent: Invalid,
	witness.Busy:         TooMany,
}

// AddCheckpoint returns this witness's cosignature on a checkpoint of another log. The
// error is a *witness.SizeError if the proof does not begin at the checkpoint that this
// witness cosigned last.
func (s *Service) AddCheckpoint(ctx context.Context, request []byte) (line string, err error) {
	if s.config.Witness == nil {
		return "", noWitness()
	}
	line, err = s.config.Witness.Add(ctx, request)
	var size *witness.SizeError
	var refused *witness.RefusalError
	switch {
	case errors.As(err, &refused):
		return "", refuse(reasons[refused.Reason], "%s", refused.Detail)
	case errors.As(err, &size), err == nil:
		return line, err
	}
	return "", fmt.Errorf("cosign a checkpoint: %w", err)
}

// CosignedCheckpoint returns the last checkpoint that this witness cosigned for a log.
// hash is the SHA-256 of the log's name, in hex.
func (s *Service) CosignedCheckpoint(hash string) (string, error) {
	if s.config.Witness == nil {
		return "", noWitness()
	}
	signed, ok := s.config.Witness.Checkpoint(hash)
	if !ok {
		return "", refuse(NotFound, "this witness has cosigned no checkpoint of a log whose name has the SHA-256 %.64q", hash)
	}
	return signed, nil
}

func noWitness() error {
	return refuse(NotFound, "this service witnesses no log; name the logs in SEGRAPH_WITNESS_OF")
}

// Witnessing is the state of this log's witnesses, and of the logs that this service
// witnesses.
type Witnessing struct {
	Witnesses []cosigners.Status
	Logs      []witness.Status
}

// Witnessing returns the state of this log's witnesses, and of the logs that this service
// witnesses.
func (s *Service) Witnessing() (w Witnessing) {
	if s.config.Witnesses != nil {
		w.Witnesses = s.config.Witnesses()
	}
	if s.config.Witness != nil {
		w.Logs = s.config.Witness.Status()
	}
	return w
}
