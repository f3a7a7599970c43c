package evidence

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/segraph/segraph/internal/quoted"
	"github.com/segraph/segraph/store/log/cosignature"
	"github.com/segraph/segraph/store/log/journal"
)

// maxReceipt is the size of the largest receipt, in bytes. An entry in base64 is smaller.
const maxReceipt = 1 << 20

// verifyErasure verifies the receipt of an erasure: JSON with the receipt of a log entry and, in the person's
// own copy, the person's IRI and the salt. Without these, it proves only that somebody was erased.
func verifyErasure(r io.Reader, key string, witnesses []*cosignature.Verifier) (*Report, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxReceipt+1))
	if err != nil {
		return nil, fmt.Errorf("reading the receipt: %w", err)
	}
	var in struct {
		Index   uint64  `json:"log_index"`
		Receipt string  `json:"receipt"`
		Person  *string `json:"person"`
		Salt    *string `json:"salt"`
	}
	if len(text) > maxReceipt || json.Unmarshal(text, &in) != nil || !unambiguous(text) {
		return &Report{Failures: []*Failure{fail("", "it is not a receipt: JSON with log_index and receipt, of at most %d bytes", maxReceipt)}}, nil
	}
	v := &verifier{contents: &contents{}}
	e := v.erasure(in.Index, in.Receipt, key)
	out := &Report{Limits: []string{
		"That the data is gone. The entry is what the service says; `segraph check --forgotten` looks for it in the file.",
		"That copies elsewhere are gone, such as backups, exports and logs of terminals.",
	}}
	if len(witnesses) == 0 {
		out.Limits = append(out.Limits, oneHistory)
	}
	who := "somebody"
	switch {
	case e == nil: // the verifier's report says why
	case in.Person != nil && in.Salt != nil:
		v.person(e, *in.Person, *in.Salt)
		who = quoted.Value(*in.Person)
	case in.Person != nil || in.Salt != nil:
		v.fail("person", "a receipt has both person and salt, or neither")
	default:
		out.Limits = append(out.Limits, "Whom. Only the person's copy of the receipt has the IRI and the salt.")
	}
	for _, w := range witnesses {
		out.Witnesses = append(out.Witnesses, v.cosigned(w)...)
	}
	if out.Failures = v.failures; len(out.Failures) > 0 {
		return out, nil
	}
	out.members = members{"receipt.json": text}
	out.Holds = fmt.Sprintf("the log %s says in its entry %d, of %s, that %s was erased, which removed %s.",
		v.checkpoint.origin, in.Index, shown(e.Time), who, count(uint64(max(e.Removed, 0)), "triple", "triples"))
	if e.Lessened != "" {
		out.Holds += " These entries lost values: " + e.Lessened + "."
	}
	return out, nil
}

// erasure sets the checkpoint, and returns the entry of an erasure that a receipt proves, or nil.
func (v *verifier) erasure(index uint64, receipt, key string) *journal.Entry {
	const first = "c2sp.org/tlog-proof@v1\n"
	extra, rest, _ := strings.Cut(strings.TrimPrefix(receipt, first+"extra "), "\n")
	_, signed, ok := strings.Cut(rest, "\n\n")
	stored, err := base64.StdEncoding.Strict().DecodeString(extra)
	if !ok || err != nil {
		v.fail("receipt", "it is not a tlog-proof with an entry")
		return nil
	}
	if v.checkpoint, err = parseCheckpoint([]byte(signed)); err != nil {
		v.fail("receipt", "%v", err)
		return nil
	}
	v.signedBy(key, "receipt", "the key")
	if err := v.checkpoint.proves(index, []byte(first+rest), stored); err != nil { // the proof without the line extra
		v.fail("receipt", "%v", err)
	}
	e, err := journal.Parse(stored)
	if err != nil || e.Action != journal.Erasure || !unambiguous(stored[sha256.Size:]) {
		v.fail("receipt", "its entry is not that of an erasure")
		return nil
	}
	return &e
}

// person checks that an entry has the hash of a salt and an IRI.
func (v *verifier) person(e *journal.Entry, iri, salt string) {
	bytes, err := base64.RawStdEncoding.Strict().DecodeString(strings.TrimRight(salt, "="))
	if err != nil || len(bytes) != len(journal.Salt{}) {
		v.fail("salt", "it is not 16 bytes in base64")
	} else if !slices.Contains(strings.Split(e.Person, ","), journal.Salt(bytes).Commit([]byte(iri))) {
		v.fail("person", "the entry is not about %s, or the salt is another one", quoted.Value(iri))
	}
}
