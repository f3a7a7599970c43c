package auth

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/segraph/segraph/internal/quoted"
	"github.com/segraph/segraph/logs"
)

// MaxName is the maximum length of a user's name in characters.
const MaxName = 256

// CheckName returns an error that wraps ErrName if the name of a user must not be stored or
// logged. It must be UTF-8 of at most MaxName characters. It must not have control
// characters or line separators (they could forge a log line), characters that nobody sees
// (except joiners within words), or a token.
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
	if logs.HoldsToken(name) {
		return fmt.Errorf("%w: it holds what looks like a token", ErrName)
	}
	if r, found := quoted.Hidden(name); found {
		return fmt.Errorf("%w: it holds the character U+%04X, which nobody sees", ErrName, r)
	}
	return nil
}
