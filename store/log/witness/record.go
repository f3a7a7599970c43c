package witness

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"time"

	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/log/cosignature"
)

// record is the content of a witness's file.
type record struct {
	Name string          `json:"name"` // of the witness
	Seed []byte          `json:"seed"` // of its private key
	Logs map[string]seen `json:"logs"`
}

// seen is the witness's state of a log.
type seen struct {
	Size  uint64    `json:"size"`
	Root  []byte    `json:"root"`
	Note  string    `json:"checkpoint"` // with the signatures of the log and the witness; "" for none
	Time  time.Time `json:"time"`
	Doubt *Doubt    `json:"doubt,omitempty"`
}

// Doubt is a checkpoint that contradicts an earlier one of its log.
type Doubt struct {
	Time       time.Time `json:"time"`
	Detail     string    `json:"detail"`
	Checkpoint string    `json:"checkpoint"` // as the log signed it
	// Proven means that the log's key signed both. Otherwise somebody else may have sent
	// an old checkpoint or a wrong proof, and the next checkpoint that continues the log
	// clears the doubt.
	Proven bool `json:"proven,omitempty"`
}

// KeyIn returns the verifier key of the witness whose record is in the file at path. If
// there is no file, it makes one that only its owner can read.
func KeyIn(path string) (key string, err error) {
	_, s, err := recordIn(path)
	if err != nil {
		return "", err
	}
	return s.Verifier().String(), nil
}

// recordIn reads a witness's file at path. It creates a missing one, with a new key.
func recordIn(path string) (r record, s *cosignature.Signer, err error) {
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.Seed = make([]byte, ed25519.SeedSize)
		rand.Read(r.Seed)
		key := ed25519.NewKeyFromSeed(r.Seed)
		sum := sha256.Sum256(key.Public().(ed25519.PublicKey))
		r.Name = "segraph/witness/" + hex.EncodeToString(sum[:8])
		if err := r.write(path); err != nil {
			return r, nil, err
		}
	case err != nil:
		return r, nil, fmt.Errorf("reading the witness's record: %w", err)
	default:
		err := json.Unmarshal(text, &r)
		if hasKey := len(r.Seed) == ed25519.SeedSize && r.Name != ""; err == nil && !hasKey {
			err = errors.New("it has no key")
		}
		if err != nil {
			return r, nil, fmt.Errorf("reading the witness's record %s: %w. If it is lost, remove the file: the witness then gets a new key; "+
				"give it to the operators of the logs", path, err)
		}
	}
	s, err = cosignature.NewSigner(r.Name, ed25519.NewKeyFromSeed(r.Seed))
	return r, s, err
}

// with returns a copy of the record with a new state of a log.
func (r record) with(origin string, s seen) record {
	r.Logs = maps.Clone(r.Logs)
	if r.Logs == nil {
		r.Logs = map[string]seen{}
	}
	r.Logs[origin] = s
	return r
}

// write writes the record atomically, and returns once it is on the disk.
func (r record) write(path string) error {
	text, err := json.MarshalIndent(r, "", "\t")
	if err == nil {
		err = file.WriteSecret(path, append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("writing the witness's record: %w", err)
	}
	return nil
}
