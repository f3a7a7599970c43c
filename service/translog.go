package service

import (
	"context"
	"errors"
	"fmt"

	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/log/translog"
)

// Translog is the transparency log over the journal. *translog.Log implements it.
type Translog interface {
	Checkpoint(ctx context.Context) ([]byte, error)
	Tile(ctx context.Context, level int, number uint64, width int) ([]byte, error)
	Entries(ctx context.Context, number uint64, width int) ([]byte, error)
	Receipt(ctx context.Context, seq uint64) (translog.Receipt, error)
}

// Receipt proves that the log has an entry. Its members are part of the answers of POST
// /ttl and GET /logs/{log_id}/receipt.
type Receipt struct {
	Index   *uint64       `json:"log_index,omitempty"`
	Receipt string        `json:"receipt,omitempty"` // tlog-proof of C2SP, with the entry as extra data
	Salt    []byte        `json:"salt,omitempty"`    // of the hashes of the content, in base64; erased together with the content
	Open    *journal.Open `json:"open,omitempty"`    // with who, the values behind the entry's hash of them
}

// indexOf returns the index in the transparency log of the journal entry with a number,
// or nil if the number is 0.
func indexOf(seq uint64) *uint64 {
	if seq == 0 {
		return nil
	}
	seq--
	return &seq
}

// Checkpoint returns the log's signed checkpoint.
func (s *Service) Checkpoint(ctx context.Context) ([]byte, error) {
	out, err := s.config.Translog.Checkpoint(ctx)
	return out, ofTranslog(err)
}

// Tile returns the first width hashes of a tile of the log.
func (s *Service) Tile(ctx context.Context, level int, number uint64, width int) ([]byte, error) {
	out, err := s.config.Translog.Tile(ctx, level, number, width)
	return out, ofTranslog(err)
}

// EntryBundle returns the first width entries of an entry bundle of the log.
func (s *Service) EntryBundle(ctx context.Context, number uint64, width int) ([]byte, error) {
	out, err := s.config.Translog.Entries(ctx, number, width)
	return out, ofTranslog(err)
}

// Receipt returns the receipt of the entry at an index of the log.
func (s *Service) Receipt(ctx context.Context, index uint64) (Receipt, error) {
	r, err := s.config.Translog.Receipt(ctx, index+1)
	return Receipt{&index, r.Proof, r.Salt, r.Open}, ofTranslog(err)
}

// LogReceipt returns the receipt of a published log. If the log was stored in parts, it
// is that of the first part.
func (s *Service) LogReceipt(ctx context.Context, logID string) (Receipt, error) {
	log, err := s.Log(ctx, logID, 0)
	if err != nil {
		return Receipt{}, err
	}
	return s.Receipt(ctx, log.Entries[0].Seq-1)
}

func ofTranslog(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, translog.ErrNotFound):
		return refuse(NotFound, "%s; the checkpoint says how many entries it has", translog.ErrNotFound)
	case errors.Is(err, translog.ErrBehind):
		return refuse(Unavailable, "%s", translog.ErrBehind)
	}
	return fmt.Errorf("read the transparency log: %w", err)
}
