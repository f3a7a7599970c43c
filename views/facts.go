package views

import (
	"slices"
	"strings"
	"unicode"
)

// Fact is a value of an activity, such as the reason of a decision.
type Fact struct {
	Name, Value string
	Own         bool // the name is the robot's own
}

// factNames are the names of facts that people read, by those in logs.
var factNames = map[string]string{"status": "status", "why": "reason", "option": "options", "args": "arguments", "level": "level", "part": "part", "confidence": "confidence"}

// Facts returns facts under the names that people read, each name once, with all its values. Of several statuses only the
// last one stays, because the robot's own word comes after that of the vocabulary.
func Facts(list []Fact) (out []Fact) {
	for _, f := range list {
		name, known := factNames[strings.TrimRight(f.Name, "0123456789")]
		if !known {
			name = Words(f.Name)
		}
		if name == "status" {
			f.Value = strings.ToLower(strings.TrimSuffix(f.Value, "ActionStatus"))
		}
		i := slices.IndexFunc(out, func(x Fact) bool { return x.Name == name })
		switch {
		case i < 0:
			out = append(out, Fact{name, f.Value, !known})
		case name == "status":
			out[i].Value = f.Value
		case out[i].Value != f.Value:
			out[i].Value += ", " + f.Value
		}
	}
	return out
}

// Said tells a fact, with its value quoted by quote, and its name too if it is the robot's own.
func (f Fact) Said(quote func(string) string) string {
	if f.Own {
		return Said(f.Name) + " " + quote(f.Value)
	}
	return f.Name + " " + quote(f.Value)
}

// Words separates the words of a name: "Listening event" for "ListeningEvent", "battery
// level" for "battery_level". Capitals stay together, since names of robots have them: "TIAGo".
func Words(name string) string {
	var b strings.Builder
	all := append([]rune(name), ' ')
	was := ' '
	for i, c := range all[:len(all)-1] {
		begins := unicode.IsUpper(c) && unicode.IsLower(was)
		was = c
		if begins {
			b.WriteRune(' ')
			if !unicode.IsUpper(all[i+1]) {
				c = unicode.ToLower(c)
			}
		}
		if c == '_' || c == '-' {
			c = ' '
		}
		b.WriteRune(c)
	}
	return strings.TrimSpace(b.String())
}

func JoinWords(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " · ")
}
