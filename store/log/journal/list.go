package journal

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A request may be signed over a list, so that one line of it can be erased and the
// signature still proves the others. Its body is the list, which has a line for each line
// of the request: Salt.Commit of it. Then come an empty line, and the lines themselves,
// each after its salt in base64 without padding and a space. The signature covers a
// digest of the list, with its last line break, and not of the whole body.
//
// What is kept with an entry is the body as if it had only the entry's own line: the
// list, an empty line, the index of the line in the list, its salt, and the line,
// separated by spaces.

// Listed is a line of a request that was signed over a list.
type Listed struct {
	List  []byte // with its last line break
	Index int    // of the line, from 0
	Salt  Salt
	Line  []byte
}

var newline = []byte("\n")

// MaxLines is the largest number of lines in a signed list.
const MaxLines = 10_000

// Body returns the body that is kept with the entry of the line.
func (l *Listed) Body() []byte {
	return fmt.Appendf(nil, "%s\n%d %s %s", l.List, l.Index, base64.RawStdEncoding.EncodeToString(l.Salt[:]), l.Line)
}

// ParseListed parses what Body returned. It returns an error unless the list has the hash
// of the line at its index. It does not compare the list with a signature.
func ParseListed(body []byte) (*Listed, error) {
	list, rest, found := bytes.Cut(body, []byte("\n\n"))
	index, salted, spaced := bytes.Cut(rest, []byte(" "))
	n, err := strconv.ParseUint(string(index), 10, 31)
	if !found || !spaced || err != nil || strconv.FormatUint(n, 10) != string(index) {
		return nil, errors.New("it is not a list and one of its lines")
	}
	if bytes.Count(list, newline) >= MaxLines {
		return nil, fmt.Errorf("its list has more than %d lines", MaxLines)
	}
	l, err := parseLine(strings.Split(string(list), "\n"), int(n), salted)
	if err != nil {
		return nil, err
	}
	l.List = body[:len(list)+1]
	return l, nil
}

// SplitListed returns the lines of the body of a request that is signed over a list, each
// with the list. Each line has the hash that the list has of it, and no line is empty.
func SplitListed(body []byte) ([]*Listed, error) {
	list, rest, found := bytes.Cut(body, []byte("\n\n"))
	rest = bytes.TrimSuffix(rest, newline)
	if n := bytes.Count(list, newline); !found || n >= MaxLines || bytes.Count(rest, newline) != n {
		return nil, fmt.Errorf("the body is not a list of at most %d hashes, an empty line, and as many lines, each after its salt", MaxLines)
	}
	hashes := strings.Split(string(list), "\n")
	out := make([]*Listed, len(hashes))
	for i, line := range bytes.Split(rest, newline) {
		l, err := parseLine(hashes, i, line)
		if err != nil {
			return nil, fmt.Errorf("line %d after the list: %w", i+1, err)
		}
		l.List = body[:len(list)+1]
		out[i] = l
	}
	return out, nil
}

// parseLine parses a salt and a line, and compares them with the hash at an index.
func parseLine(hashes []string, index int, salted []byte) (*Listed, error) {
	l := &Listed{Index: index}
	salt, line, found := bytes.Cut(salted, []byte(" "))
	b, err := base64.RawStdEncoding.Strict().DecodeString(string(salt))
	if !found || len(line) == 0 || err != nil || len(b) != len(l.Salt) {
		return nil, errors.New("it is not a salt of 16 bytes in base64, a space and a text")
	}
	l.Salt, l.Line = Salt(b), line
	if index >= len(hashes) || hashes[index] != l.Salt.Commit(line) {
		return nil, fmt.Errorf("the list does not have the hash of its line %d", index)
	}
	return l, nil
}
