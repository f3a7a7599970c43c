package auth

import (
	"errors"
	"strings"
	"testing"
)

const fixed = "0123456789abcdef0123456789ABCDEF"

func TestAFixedTokenMustMatchExactly(t *testing.T) {
	token, err := NewFixedToken(fixed)
	if err != nil {
		t.Fatal(err)
	}
	for _, headers := range [][]string{{"Bearer " + fixed}, {"bearer  " + fixed + " "}} {
		if err := token.Check(headers); err != nil {
			t.Errorf("%q: %v", headers, err)
		}
	}
	for _, c := range []struct {
		headers []string
		reason  Reason
	}{
		{nil, MissingHeader},
		{[]string{""}, InvalidToken}, {[]string{"Bearer"}, InvalidToken}, {[]string{fixed}, InvalidToken}, {[]string{"Basic " + fixed}, InvalidToken},
		{[]string{"Bearer " + fixed[1:]}, InvalidToken}, {[]string{"Bearer " + fixed + "0"}, InvalidToken},
		{[]string{"Bearer " + strings.ToLower(fixed)}, InvalidToken}, {[]string{"Bearer " + fixed, "Bearer " + fixed}, InvalidToken},
	} {
		var refused *TokenError
		if err := token.Check(c.headers); !errors.As(err, &refused) || refused.Reason != c.reason || strings.Contains(err.Error(), fixed[:8]) {
			t.Errorf("%q: %v", c.headers, err)
		}
	}
}

func TestAFixedTokenThatCanBeGuessedIsRefused(t *testing.T) {
	for _, text := range []string{"", fixed[1:], strings.Repeat("x", 64), fixed + " ", fixed + "\n", fixed + "é", fixed[:16] + " " + fixed[16:]} {
		if _, err := NewFixedToken(text); err == nil || len(text) > 1 && strings.Contains(err.Error(), text) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
