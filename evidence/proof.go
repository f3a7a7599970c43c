package evidence

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"

	"github.com/segraph/segraph/store/log/tree"
)

// checkpoint is a tlog-checkpoint of C2SP. Its signatures are not verified yet.
type checkpoint struct {
	origin string
	size   uint64
	root   []byte
	signed []byte
}

// parseCheckpoint parses a signed checkpoint, without verifying the signature.
func parseCheckpoint(signed []byte) (c checkpoint, err error) {
	text, notes, ok := strings.Cut(string(signed), "\n\n")
	origin, head, err := tree.ParseText(text)
	if err != nil || !ok || !strings.HasPrefix(notes, "\u2014 ") {
		return c, errors.New("it is not a signed checkpoint")
	}
	return checkpoint{origin: origin, size: head.Size, root: head.Root[:], signed: signed}, nil
}

// maxHashes is the largest number of hashes in a proof: the height of the tree.
const maxHashes = 64

// proves returns nil if a tlog-proof proves that the tree of the checkpoint has an entry
// at an index. Otherwise the error says why not.
func (c *checkpoint) proves(index uint64, text, stored []byte) error {
	head, signed, ok := bytes.Cut(text, []byte("\n\n"))
	lines := strings.SplitN(string(head), "\n", 2+maxHashes+1)
	if !ok || len(lines) < 2 || lines[0] != "c2sp.org/tlog-proof@v1" {
		return errors.New("it is not a tlog-proof")
	}
	if lines[1] != fmt.Sprintf("index %d", index) {
		return errors.New("it is for another entry")
	}
	if !bytes.Equal(signed, c.signed) {
		return errors.New("its checkpoint is not that of the bundle")
	}
	var hashes [][]byte
	for _, line := range lines[2:] {
		h, err := base64.StdEncoding.Strict().DecodeString(line)
		if err != nil {
			return errors.New("it is not a tlog-proof")
		}
		hashes = append(hashes, h)
	}
	hasher := rfc6962.DefaultHasher
	if proof.VerifyInclusion(hasher, index, c.size, hasher.HashLeaf(stored), hashes, c.root) != nil {
		return fmt.Errorf("the tree of the checkpoint does not have entry %d", index)
	}
	return nil
}

// difference returns the number of the first line, from 1, in which two texts differ, and
// both lines; 0 if they are equal.
func difference(a, b []byte) (line int, is, want string) {
	if bytes.Equal(a, b) {
		return 0, "", ""
	}
	for line = 1; ; line++ {
		x, restA, moreA := bytes.Cut(a, []byte("\n"))
		y, restB, moreB := bytes.Cut(b, []byte("\n"))
		if !bytes.Equal(x, y) || moreA != moreB {
			return line, excerpt(x, y, moreA), excerpt(y, x, moreB)
		}
		a, b = restA, restB
	}
}

// excerpt returns a part of a line for a message, from where it differs from another one. more says that the line
// goes on.
func excerpt(line, other []byte, more bool) string {
	const before, most = 60, 300
	same := 0
	for same < min(len(line), len(other)) && line[same] == other[same] {
		same++
	}
	text := string(line[max(same-before, 0):min(len(line), same+most)])
	if bytes.Equal(line, other) && !more {
		text += " (the last line)"
	}
	return text
}
