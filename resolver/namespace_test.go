package resolver

import (
	"errors"
	"strings"
	"testing"
)

// Robots of SEGB refuse to log about anything but an http(s) IRI, so other namespaces are
// refused.
func TestANamespaceIsAnAbsoluteHTTPIRI(t *testing.T) {
	for namespace, want := range map[string]string{
		"https://gsi.upm.es/segb/shared-events/": "",
		"http://localhost:5000/events#":          "",
		"HTTPS://example.org/e?id=":              "",
		"https://münchen.example/ereignisse/":    "",
		"http://[::1]:8080/":                     "",
		"":                                       "is not an IRI",
		"shared-events/":                         "is not an IRI",
		"//ex/":                                  "is not an IRI",
		"https://ex/a b":                         "is not an IRI",
		" https://ex/":                           "is not an IRI",
		"https://ex/<a>":                         "is not an IRI",
		"https://ex/%zz":                         "is not an IRI",
		"https://ex:port/":                       "is not an IRI",
		"https://ex/\xff":                        "is not an IRI",
		"urn:segraph:shared-events/":             "does not begin with http:// or https://",
		"ftp://ex/":                              "does not begin with http:// or https://",
		"httpx://ex/":                            "does not begin with http:// or https://",
		"http:foo":                               "names no host",
		"http:/foo":                              "names no host",
		"https:///foo":                           "names no host",
		"https://:80/foo":                        "names no host",
		"https://eva:secret@ex/":                 "user name or password",
		"https://ex/" + strings.Repeat("a", 512): "at most 512 bytes",
	} {
		s := Defaults()
		s.Namespace = namespace
		err := s.Validate()
		var wrong *SettingError
		switch {
		case want == "" && err != nil:
			t.Errorf("%q is refused: %v", namespace, err)
		case want != "" && (!errors.As(err, &wrong) || wrong.Variable != "SHARED_CONTEXT_NAMESPACE" || !strings.Contains(wrong.Detail, want)):
			t.Errorf("%q: got %v, want %q", namespace, err, want)
		case want != "" && strings.Contains(err.Error(), "secret"):
			t.Errorf("the message tells a password: %v", err)
		}
	}
}

func TestANameIsSplitFromItsNamespace(t *testing.T) {
	for namespace, want := range map[string]string{
		"https://example.org":         "https://example.org/",
		"https://example.org.":        "https://example.org./",
		"http://[::1]":                "http://[::1]/",
		"http://localhost:5000":       "http://localhost:5000/",
		"https://example.org/events":  "https://example.org/events/",
		"https://example.org/events/": "https://example.org/events/",
		"https://example.org/e#":      "https://example.org/e#",
		"https://example.org/e?id=":   "https://example.org/e?id=",
		"https://example.org/e-":      "https://example.org/e-",
	} {
		if got := separated(namespace); got != want {
			t.Errorf("%s becomes %s, want %s", namespace, got, want)
		}
	}
}
