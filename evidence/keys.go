package evidence

import (
	"errors"
	"slices"
	"strings"

	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/log/translog"
)

// namedKey is a verifier key of the log, and the note with which the former key named it;
// the note of the first key is empty.
type namedKey struct{ key, note string }

// Lines of a key in the member keys: the key, and a note of five lines of text, an empty
// line and one signature.
const (
	noteLines = 7
	keyLines  = 1 + noteLines
)

func keysText(keys []namedKey) []byte {
	var b strings.Builder
	for _, k := range keys {
		b.WriteString(k.key + "\n" + k.note)
	}
	return []byte(b.String())
}

// parseKeys parses the member keys. It verifies no note.
func parseKeys(text []byte) (keys []namedKey, err error) {
	lines := strings.SplitAfter(string(text), "\n")
	if n := len(lines) - 1; n%keyLines != 1 || lines[n] != "" {
		return nil, errors.New("it is not a list of keys, each but the first with the note that names it")
	}
	keys = []namedKey{{key: strings.TrimSuffix(lines[0], "\n")}}
	for at := 1; at+keyLines < len(lines); at += keyLines {
		keys = append(keys, namedKey{strings.TrimSuffix(lines[at], "\n"), strings.Join(lines[at+1:at+keyLines], "")})
	}
	return keys, nil
}

// follow returns the key that the log has now, if its former key is the given one. The
// error is a *Failure.
func follow(keys []namedKey, from string) (now string, err error) {
	at := slices.IndexFunc(keys, func(k namedKey) bool { return k.key == from })
	if at < 0 {
		return "", fail(keysName, "it does not have the key %s; it says that the log's key is %.300s", from, keys[len(keys)-1].key)
	}
	return keys[len(keys)-1].key, chained(keys[at:])
}

// chained returns a *Failure unless each key, from the second on, was named by the key
// before it.
func chained(keys []namedKey) error {
	for i := 1; i < len(keys); i++ {
		former, next := keys[i-1].key, keys[i]
		named, err := translog.NextKey(journal.Entry{Key: next.key, Handover: next.note}, former)
		if err == nil && !oneSignature([]byte(next.note)) {
			err = errors.New("the note must have one signature")
		}
		if err == nil && named == former {
			err = errors.New("it is the former key")
		}
		if err != nil {
			return fail(keysName, "the key %.300s was not named by the one before: %v", next.key, err)
		}
	}
	return nil
}
