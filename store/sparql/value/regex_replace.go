package value

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/segraph/segraph/store/sparql/budget"
)

// Replace returns s with every match replaced (XPath Functions and Operators 3.1, section
// 5.6.4). In the replacement, $1 is the first group, $0 the whole match, \$ a dollar and
// \\ a backslash. Replace returns a *RegexError if the replacement is invalid or if the
// expression matches the empty text. It returns a *budget.LimitError if the result
// might be longer than maxLength bytes (0 for no limit) or take too long. If s is long, it calls stop,
// unless that is nil, at each match, and returns its error.
func (r *Regex) Replace(s, replacement string, maxLength int, stop func() error) (string, error) {
	if r.MatchesEmpty() {
		return "", &RegexError{Pattern: r.pattern, Msg: "it matches the empty text, so its matches can't be replaced"}
	}
	template, err := r.template(replacement)
	if err != nil {
		return "", err
	}
	if r.cost(s) > maxReplaceCost {
		return "", &budget.LimitError{Limit: "work for a REPLACE", Detail: fmt.Sprintf("%d steps", maxReplaceCost)}
	}
	// Matches do not overlap, so everything that one reference inserts is at most as
	// long as s.
	references := strings.Count(template, "${")
	length := len(s) * max(1, references) // without the plain text of the template
	mayBeLong := maxLength > 0 && length+len(s)*len(template) > maxLength
	if maySearch := r.cost(s) > maxReplaceCost/int64(len(s)+1); mayBeLong || maySearch { // if each byte were a match: count the matches
		matches, err := r.matches(s, stop)
		if err == nil && mayBeLong {
			err = checkLength(length+matches*literalLength(template), maxLength)
		}
		if err != nil {
			return "", err
		}
	}
	return r.program.ReplaceAllString(s, template), nil
}

// matches returns how many matches s has. It calls stop, unless that is nil, at each match, and
// returns its error: each may take a search of the whole rest of s.
func (r *Regex) matches(s string, stop func() error) (n int, err error) {
	defer func() {
		if x := recover(); x != nil && x != errStopped { // package regexp has no other way to end early
			panic(x)
		}
	}()
	r.program.ReplaceAllStringFunc(s, func(string) string {
		if n++; stop != nil {
			if err = stop(); err != nil {
				panic(errStopped)
			}
		}
		return ""
	})
	return n, err
}

// errStopped ends a search from within.
var errStopped = errors.New("stopped")

// CheckReplacement returns a *RegexError if Replace refuses the replacement.
func (r *Regex) CheckReplacement(replacement string) error {
	_, err := r.template(replacement)
	return err
}

// template returns the replacement in the syntax of package regexp: $$ for a dollar and
// ${1} for a group.
func (r *Regex) template(replacement string) (string, error) {
	if r.quoted || !strings.ContainsAny(replacement, `\$`) {
		return strings.ReplaceAll(replacement, "$", "$$"), nil
	}
	var b strings.Builder
	for i := 0; i < len(replacement); i++ {
		switch c := replacement[i]; c {
		case '\\':
			if i++; i == len(replacement) || replacement[i] != '\\' && replacement[i] != '$' {
				return "", &RegexError{Pattern: r.pattern, Msg: `in the replacement, \ must come before \ or $`}
			}
			if replacement[i] == '$' {
				b.WriteString("$$")
			} else {
				b.WriteByte('\\')
			}
		case '$':
			group, digits := r.reference(replacement[i+1:])
			if digits == 0 {
				return "", &RegexError{Pattern: r.pattern, Msg: `in the replacement, $ must come before a digit; a dollar is \$`}
			}
			i += digits
			if group <= r.program.NumSubexp() {
				b.WriteString("${" + strconv.Itoa(group) + "}")
			}
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), nil
}

// reference parses the number of a group. It takes at least one digit, and more
// digits as long as a group with that number exists.
func (r *Regex) reference(s string) (group, digits int) {
	for digits < len(s) && '0' <= s[digits] && s[digits] <= '9' {
		next := group*10 + int(s[digits]-'0')
		if digits > 0 && next > r.program.NumSubexp() {
			break
		}
		group = next
		digits++
	}
	return group, digits
}

// literalLength returns an upper bound of the bytes of plain text in a template.
func literalLength(template string) int {
	length := len(template)
	for range strings.Count(template, "${") {
		length -= len("${0}")
	}
	return length
}

// regexReplace is REPLACE (SPARQL 1.1, section 17.4.3.15).
func regexReplace(c *Context, args []Value) (Value, error) {
	flags, ok := flagsOf(args, 3)
	if !ok || !args[0].isString() || args[1].kind != KindString || args[2].kind != KindString {
		return Error(), nil
	}
	r, err := c.regex(args[1].text(), flags)
	if r == nil {
		return Error(), err
	}
	if err := c.stopped(); err != nil {
		return Error(), err
	}
	s, err := r.Replace(args[0].text(), args[2].text(), c.MaxLength, c.Stop)
	if wrong := (*RegexError)(nil); errors.As(err, &wrong) {
		return Error(), nil
	}
	if err != nil {
		return Error(), err
	}
	return like(args[0], s), nil
}
