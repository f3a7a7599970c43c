package auth

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/segraph/segraph/internal/logbuf"
)

// MaxName is the greatest length of a user's name, in characters.
const MaxName = 256

// CheckName reports whether a name of a user, claimed or from a token, may be kept and
// logged. It may not hold control characters or line separators, which would let it forge
// a line of the log, nor be longer than MaxName; and it may hold no token, which must
// never be kept. The error wraps ErrName.
func CheckName(name string) error {
	if !utf8.ValidString(name) {
		return fmt.Errorf("%w: it is not UTF-8", ErrName)
	}
	if utf8.RuneCountInString(name) > MaxName {
		return fmt.Errorf("%w: it is longer than %d characters", ErrName, MaxName)
	}
	for _, r := range name {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return fmt.Errorf("%w: it holds the control character U+%04X", ErrName, r)
		}
	}
	if logbuf.HoldsToken(name) {
		return fmt.Errorf("%w: it holds what looks like a token", ErrName)
	}
	return nil
}
