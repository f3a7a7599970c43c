// Package strictyaml reads a YAML document of known fields, with nothing after it.
package strictyaml

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"
)

// goType matches what yaml says of types of this program.
var goType = regexp.MustCompile(` in(to| type) \S+$`)

// Decode reads a document into a value. A text without one leaves the value as it is. An error names the line.
func Decode(text []byte, into any) error {
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	err := d.Decode(into)
	if err == nil {
		var more yaml.Node
		if err = d.Decode(&more); err == nil {
			err = errors.New("it has a second document, which begins with ---; write one")
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	if wrong, ok := errors.AsType[*yaml.TypeError](err); ok {
		for i, w := range wrong.Errors {
			wrong.Errors[i] = goType.ReplaceAllString(w, "")
		}
		return errors.New(strings.Join(wrong.Errors, "; "))
	}
	return errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
}
