package evidence

import (
	"bytes"
	"encoding/json"
	"strings"
)

// unambiguous reports whether every program reads a valid JSON text alike: names have
// only lower-case letters, digits and underscores, and no object repeats a name. Package
// encoding/json ignores the case of names, and other programs don't.
func unambiguous(text []byte) bool {
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	return plain(in)
}

// plain reads a JSON value, and reports whether all readers understand it alike: no member occurs twice, and names
// are simple.
func plain(in *json.Decoder) bool {
	token, err := in.Token()
	open, nested := token.(json.Delim)
	if err != nil || !nested {
		return err == nil
	}
	seen := map[string]bool{}
	for in.More() {
		if open == '{' {
			token, _ := in.Token()
			name, _ := token.(string)
			if seen[name] || name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
				return false
			}
			seen[name] = true
		}
		if !plain(in) {
			return false
		}
	}
	_, err = in.Token()
	return err == nil
}
