package witness

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/segraph/segraph/store/log/tree"
)

// MaxRequest is the largest request in bytes: 64 lines, and a checkpoint with several
// signatures. The largest known kind of signature takes 3.4 KB.
const MaxRequest = 64 << 10

// maxProof is the largest number of hashes in a consistency proof.
const maxProof = 63

// request is the body of add-checkpoint.
type request struct {
	old    uint64 // size of the checkpoint from which the proof leads to the new one
	proof  [][]byte
	origin string
	note   []byte
}

// checkpoint is a tree's head as a log signed it.
type checkpoint struct {
	size uint64
	root [sha256.Size]byte
	text string
	sigs []note.Signature // by known keys
}

// parse reads the body of add-checkpoint up to the checkpoint.
func parse(body []byte) (r request, err error) {
	head, signed, ok := bytes.Cut(body, []byte("\n\n"))
	first, rest, _ := strings.Cut(string(head), "\n")
	old, isOld := strings.CutPrefix(first, "old ")
	if !ok || !isOld || len(body) > MaxRequest {
		return r, errors.New("the body does not begin with a line such as \"old 20\", the lines of a proof, and an empty line")
	}
	if r.old, err = decimal(old); err != nil {
		return r, fmt.Errorf("the old size: %w", err)
	}
	for line := range strings.SplitSeq(rest, "\n") {
		if rest == "" { // no proof, as for the first checkpoint
			break
		}
		hash, err := hashOf(line)
		if err != nil {
			return r, fmt.Errorf("line %d of the proof: %w", len(r.proof)+1, err)
		}
		r.proof = append(r.proof, hash[:])
		if len(r.proof) > maxProof {
			return r, fmt.Errorf("the proof has more than %d lines", maxProof)
		}
	}
	origin, _, _ := bytes.Cut(signed, []byte("\n"))
	r.origin, r.note = string(origin), signed
	return r, nil
}

// decimal parses a decimal number without leading zeroes, as checkpoints require.
func decimal(s string) (uint64, error) {
	n, err := strconv.ParseUint(s, 10, 63)
	if err != nil || strconv.FormatUint(n, 10) != s {
		return 0, fmt.Errorf("%.40q is not a number without leading zeroes", s)
	}
	return n, nil
}

func hashOf(s string) (h [sha256.Size]byte, err error) {
	b, err := base64.StdEncoding.Strict().DecodeString(s)
	if err != nil || len(b) != len(h) {
		return h, fmt.Errorf("%.60q is not 32 bytes in base64", s)
	}
	return [sha256.Size]byte(b), nil
}

// open verifies the signature of a checkpoint and reads its text.
func (r request) open(known note.Verifiers) (c checkpoint, err error) {
	n, err := note.Open(r.note, known)
	var unverified *note.UnverifiedNoteError
	var invalid *note.InvalidSignatureError
	switch {
	case errors.As(err, &unverified):
		return c, refuse(Forbidden, "the checkpoint has no signature by a key that this witness knows for %.100q", r.origin)
	case errors.As(err, &invalid):
		return c, refuse(Forbidden, "the signature by %.100q does not verify", invalid.Name)
	case err != nil:
		return c, refuse(Malformed, "the checkpoint is not a signed note")
	}
	_, head, err := tree.ParseText(n.Text)
	if err != nil {
		return c, refuse(Malformed, "%v", err)
	}
	return checkpoint{size: head.Size, root: head.Root, text: n.Text, sigs: n.Sigs}, nil
}

// signed returns a checkpoint with the signatures of its log.
func (c checkpoint) signed() string {
	var b strings.Builder
	b.WriteString(c.text + "\n")
	for _, s := range c.sigs {
		b.WriteString("\u2014 " + s.Name + " " + s.Base64 + "\n")
	}
	return b.String()
}
