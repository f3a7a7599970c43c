package persist

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/resolver"
)

// No record has a hash with which somebody could test a guess: a hash of a name, subject,
// place or text without a secret. Neither has the graph of contexts.
func TestNoRecordTellsWhetherAGuessIsRight(t *testing.T) {
	t.Parallel()
	s, err := Open(filepath.Join(t.TempDir(), "x.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := resolver.Open(s.Contexts(), resolver.Options{Settings: resolver.Defaults()})
	if err != nil {
		t.Fatal(err)
	}
	guesses := []string{"human_utterance", "http://ex/maria", "http://ex/ari", "http://ex/tiago", "http://ex/room", "urn:observation:1", "good morning everybody in the museum"}
	for i, robot := range guesses[2:4] {
		_, err := r.Resolve(t.Context(), resolver.Observation{EventKind: guesses[0], SubjectURI: guesses[1], RobotURI: robot, LocationURI: guesses[4],
			ObservationURI: fmt.Sprint(guesses[5], i), Modality: "speech", Text: guesses[6], ObservedAt: "2026-02-11T09:12:13.150Z"}, "eve")
		if err != nil {
			t.Fatal(err)
		}
	}
	var stored bytes.Buffer
	if err := s.Contexts().Scan(nil, nil, func(k, v []byte) bool { stored.Write(k); stored.Write(v); return true }); err != nil {
		t.Fatal(err)
	}
	if stored.Len() < 500 {
		t.Fatalf("only %d bytes of records", stored.Len())
	}
	quads := strings.Join(allQuads(t, s), "")
	for _, guess := range guesses {
		plain := fnv.New64a()
		_, _ = plain.Write([]byte(guess))
		number := plain.Sum(nil)
		short := binary.LittleEndian.AppendUint32(nil, binary.BigEndian.Uint32(number[4:]))
		sum := sha256.Sum256([]byte(guess))
		long := sha256.Sum256(append(binary.BigEndian.AppendUint64(nil, uint64(len(guess))), guess...))
		for name, b := range map[string][]byte{"FNV": number, "a short FNV": short, "SHA-256": sum[:8], "SHA-256 with the length": long[:8]} {
			if bytes.Contains(stored.Bytes(), b) {
				t.Errorf("the records have %s of %q", name, guess)
			}
			if strings.Contains(quads, fmt.Sprintf("%x", b)) && name != "a short FNV" {
				t.Errorf("the graph has %s of %q", name, guess)
			}
		}
	}
}
