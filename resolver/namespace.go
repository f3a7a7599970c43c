package resolver

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/segraph/segraph/store/rdf"
)

// maxNamespace limits a namespace, in bytes: every URI of a context repeats it.
const maxNamespace = 512

// checkNamespace returns a *SettingError for a namespace that can't be used for URIs of
// contexts.
func checkNamespace(namespace string) error {
	wrong := func(what string) error {
		return &SettingError{"SHARED_CONTEXT_NAMESPACE",
			fmt.Sprintf("must be an absolute http or https IRI such as https://example.org/shared-events/; %q %s", namespace, what)}
	}
	u, err := url.Parse(namespace)
	switch {
	case err != nil || !rdf.IsIRI(namespace):
		return wrong("is not an IRI")
	case u.Scheme != "http" && u.Scheme != "https":
		return wrong("does not begin with http:// or https://")
	case u.Hostname() == "":
		return wrong("names no host")
	case u.User != nil:
		return &SettingError{"SHARED_CONTEXT_NAMESPACE", "must not contain a user name or password: every URI would show them"}
	case len(namespace) > maxNamespace:
		return &SettingError{"SHARED_CONTEXT_NAMESPACE", fmt.Sprintf("must have at most %d bytes", maxNamespace)}
	}
	return nil
}

// separated appends a slash to a namespace if a name could not be distinguished from its
// end, as in https://example.org or https://example.org/events.
func separated(namespace string) string {
	u, err := url.Parse(namespace)
	if err != nil {
		return namespace
	}
	last, _ := utf8.DecodeLastRuneInString(namespace)
	hostOnly := strings.HasSuffix(namespace, "//"+u.Host)
	if hostOnly || unicode.IsLetter(last) || unicode.IsDigit(last) {
		return namespace + "/"
	}
	return namespace
}
