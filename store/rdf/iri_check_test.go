package rdf

import (
	"strings"
	"testing"
)

// The examples of RFC 3986 and RFC 3987, and edge cases of their grammar. Oxigraph's
// parser agrees on each.
func TestCheckIRITakesWhatRFC3987Allows(t *testing.T) {
	for _, iri := range []string{
		"ftp://ftp.is.co.za/rfc/rfc1808.txt", "http://www.ietf.org/rfc/rfc2396.txt", "ldap://[2001:db8::7]/c=GB?objectClass?one",
		"mailto:John.Doe@example.com", "news:comp.infosystems.www.servers.unix", "tel:+1-816-555-1212", "telnet://192.0.2.16:80/",
		"urn:oasis:names:specification:docbook:dtd:xml:4.1.2", "foo://example.com:8042/over/there?name=ferret#nose",
		"http://résumé.example.org", "http://example.org/ros%C3%A9", "http://www.example.org/D%C3%BCrst", "http://\u0645\u062B\u0627\u0644.example/",
		"a:", "a:/", "a://", "a:///x", "a:b:c", "x+1.-:", "a://@", "a://@:", "a://u:p@h:1/", "a://h:/", "a://h:99999999999/", "a://%41/",
		"a://[::1]", "a://[::]:/", "a://[1:2:3:4:5:6:7::]/", "a://[::1.2.3.4]", "a://[1:2:3:4:5:6:1.2.3.4]", "a://[v1F.a:b]", "a://[V1.~!]",
		"x:?a?b", "x:#?/", "x:?\ue000", "x:?\U000F0000", "x:\u00A0\uD7FF\uF900\uFDCF\uFDF0\uFFEF", "x:\U0001FFFD\U000E1000\U000EFFFD", "x:\u200E",
		"x:!$&'()*+,;=:@-._~",
	} {
		if err := CheckIRI(iri); err != nil {
			t.Errorf("%q: %v", iri, err)
		}
	}
}

func TestCheckIRIRefusesWhatRFC3987DoesNotAllow(t *testing.T) {
	for iri, why := range map[string]string{
		"": "scheme", "a": "scheme", "/a": "scheme", "1a:b": "scheme", ":a": "scheme", "é:a": "scheme",
		"x:%": "hexadecimal", "x:%1": "hexadecimal", "x:%zz": "hexadecimal", "x:a%4/": "hexadecimal", "a://h%/": "hexadecimal", "a://%4g@h/": "hexadecimal",
		"x:[": `"[" is not allowed there; write %5B`, "x:a]": `"]"`, "x:?[": `"["`, "x:#a#b": `"#"`, "x:a b": "U+0020", "x:<": `"<"`, "x:a|b": `"|"`, "x:\\": `"\\"`, "x:\x7F": "U+007F", "x:\x00": "U+0000",
		"a://u@v@h/": `"@"`, "a://h:x/": `port "x"`, "a://h:80:90/": `port "80:90"`, "a://[::1/": `no "]"`, "a://[::1]x/": `"x"`, "a://[::1]:x": `port "x"`, "a://h[/": `"["`,
		"a://[]": "not an IPv6 address", "a://[1.2.3.4]": "not an IPv6 address", "a://[::1%25eth0]": "not an IPv6 address", "a://[::01.2.3.4]": "not an IPv6 address",
		"a://[1::2::3]": "not an IPv6 address", "a://[12345::]": "not an IPv6 address", "a://[v.a]": "not an IPv6 address", "a://[v1.]": "not an IPv6 address", "a://[v1.é]": "not an IPv6 address", "a://[1:2:3:4:5:6:7:8:9]": "not an IPv6 address",
		"x:\u0080": "U+0080", "x:\u009F": "U+009F", "x:\uE000": "U+E000", "x:\uFDD0": "U+FDD0", "x:\uFFF0": "U+FFF0", "x:\uFFFD": "U+FFFD", "x:\uFFFF": "U+FFFF",
		"x:\U0001FFFE": "U+1FFFE", "x:\U000E0001": "U+E0001", "x:\U000EFFFE": "U+EFFFE", "x:\U000F0000": "U+F0000", "x:#\uE000": "U+E000", "x:?\U0010FFFE": "U+10FFFE", "x:\xFF": "U+FFFD",
	} {
		if err := CheckIRI(iri); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v, want %q", iri, err, why)
		}
	}
}

func TestCheckReferenceTakesRelativeIRIs(t *testing.T) {
	for ref, want := range map[string]bool{
		"": true, "a": true, "./a:b": true, "a/b:c": true, "../b": true, "?a:b": true, "#a:b": true, "//h/p": true, "/x": true, "x:y": true, "a?b/c:d": true,
		"1:b": false, ":b": false, "é:b": false, "%zz": false, "//[::1/": false, "x:%": false, "%zz/../a": false,
	} {
		if err := CheckReference(ref); (err == nil) != want {
			t.Errorf("%q: %v", ref, err)
		}
	}
}

func BenchmarkCheckIRI(b *testing.B) {
	const iri = "https://example.org/robots/ari/2026/06/04/activity-000123#start"
	b.SetBytes(int64(len(iri)))
	b.ReportAllocs()
	for b.Loop() {
		if err := CheckIRI(iri); err != nil {
			b.Fatal(err)
		}
	}
}
