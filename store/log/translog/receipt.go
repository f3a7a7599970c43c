package translog

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/log/tree"
)

// Receipt proves that the log has an entry.
type Receipt struct {
	Index uint64        // of the entry in the log, from 0
	Proof string        // tlog-proof, with the entry's bytes as extra data
	Salt  []byte        // of the hashes of the content; nil once it was erased
	Open  *journal.Open // who the entry is of; nil once that was erased
}

// Receipt returns the receipt of the entry with a number, from 1.
func (l *Log) Receipt(ctx context.Context, seq uint64) (Receipt, error) {
	signed, head, err := l.checkpoint(ctx, seq)
	if err != nil {
		return Receipt{}, err
	}
	out := Receipt{Index: seq - 1}
	var b strings.Builder
	b.WriteString("c2sp.org/tlog-proof@v1\nextra ")
	err = l.read(func(r kv.Reader, t *tree.Reader) error {
		err := journal.Stored(r, seq, 1, func(stored []byte) error {
			b.WriteString(base64.StdEncoding.EncodeToString(stored))
			return nil
		})
		if err != nil {
			return err
		}
		e, err := journal.Get(r, seq)
		if err != nil {
			return err
		}
		if salt, has := e.Salted.Salt(journal.Content); has {
			out.Salt = salt[:]
		}
		out.Open = e.Show(journal.GroupsOf(journal.Who))
		hashes, err := t.Inclusion(out.Index, head.Size)
		fmt.Fprintf(&b, "\nindex %d\n", out.Index)
		for _, h := range hashes {
			b.WriteString(base64.StdEncoding.EncodeToString(h) + "\n")
		}
		return err
	})
	if err != nil {
		return out, fmt.Errorf("making a receipt: %w", err)
	}
	out.Proof = b.String() + "\n" + string(signed)
	return out, nil
}
