package config

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/segraph/segraph/internal/quoted"
	"github.com/segraph/segraph/logs"
)

// Each function below parses one kind of value and stores it, or returns an error that
// describes valid values.

func text(to *string, s string) error {
	if s == "" {
		return errors.New("it must not be empty")
	}
	*to = s
	return nil
}

// instant parses a time with its zone, or "".
func instant(to *time.Time, s string) error {
	if s == "" {
		*to = time.Time{}
		return nil
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return fmt.Errorf("%q is not a time such as 2026-11-23T12:00:00Z", s)
	}
	*to = t.UTC()
	return nil
}

// address sets *to to s if that is an address such as :5000.
func address(to *string, s string) error {
	_, port, err := net.SplitHostPort(s)
	if err != nil {
		return fmt.Errorf("%q is not an address such as :5000 or 127.0.0.1:5000", s)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("the port of %q is not a number from 0 to 65535", s)
	}
	*to = s
	return nil
}

// metricsAddress parses an address, or "".
func metricsAddress(to *string, s string) error {
	if s == "" {
		*to = ""
		return nil
	}
	return address(to, s)
}

// IsLoopback reports whether only this machine can reach an address in a setting.
func IsLoopback(address string) bool {
	host, _, _ := net.SplitHostPort(address)
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// origins parses serialized origins (RFC 6454, section 6.2): a scheme, a host and an
// optional port.
func origins(to *[]string, s string) error {
	for _, o := range list(s) {
		u, err := url.Parse(o)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.Scheme+"://"+u.Host != o {
			return fmt.Errorf("%q is not an origin such as https://example.org or http://localhost:5173", o)
		}
		port := map[string]string{"http": ":80", "https": ":443"}[u.Scheme] // which browsers leave out
		*to = append(*to, strings.TrimSuffix(strings.ToLower(o), port))
	}
	return nil
}

// hosts parses host names, without a scheme, a port or a wildcard.
func hosts(to *[]string, s string) error {
	for _, h := range list(s) {
		if u, err := url.Parse("http://" + h); err != nil || u.Hostname() != h || strings.ContainsAny(h, "*%:") {
			return fmt.Errorf("%q is not the name of a host such as graph.example.org, without a scheme, port or path", h)
		}
		*to = append(*to, strings.ToLower(h))
	}
	return nil
}

// users parses a list of users.
func users(to *[]string, s string) error {
	for _, user := range list(s) {
		if user == "*" || user != "all" && strings.EqualFold(user, "all") {
			return fmt.Errorf("%q is not the name of a user; write all for every user", user)
		}
		if strings.ContainsFunc(user, unicode.IsControl) || len(user) > 256 {
			return fmt.Errorf("%.100q is not the name of a user", user)
		}
		if err := visible(user); err != nil {
			return err
		}
		*to = append(*to, user)
	}
	return nil
}

// serviceURL parses the URL of a service: a scheme, a host, and an optional port and
// path. It refuses a user and a password, because other users can read command lines.
func serviceURL(to *string, s string) error {
	u, err := url.Parse(s)
	if s != "" && (err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "") {
		return fmt.Errorf("%q is not the address of a service such as http://localhost:5000", s)
	}
	*to = s
	return nil
}

// optionalIRI parses the name of a graph: an absolute IRI, or "".
func optionalIRI(to *string, s string) error {
	if s == "" {
		return nil
	}
	return iri(to, s)
}

func iri(to *string, s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Scheme == "" || strings.ContainsAny(s, " <>\"{}|\\^`") {
		return fmt.Errorf("%q is not an IRI such as urn:segraph:log", s)
	}
	*to = s
	return nil
}

// basePaths matches whole segments of characters that no client percent-encodes.
var basePaths = regexp.MustCompile(`^(/[A-Za-z0-9._~-]+)*$`)

// basePath parses a path such as /seg. "" and "/" mean none.
func basePath(to *string, s string) error {
	base := strings.TrimSuffix(s, "/")
	if !basePaths.MatchString(base) || base != "" && path.Clean(base) != base {
		return fmt.Errorf("%q is not a path such as /seg, of letters, digits and -._~", s)
	}
	*to = base
	return nil
}

// networks appends the networks and addresses of a list to to.
func networks(to *[]netip.Prefix, s string) error {
	for _, n := range list(s) {
		p, err := netip.ParsePrefix(n)
		if err != nil {
			a, err := netip.ParseAddr(n)
			if err != nil || a.Zone() != "" {
				return fmt.Errorf("%q is not an address or a network such as 10.0.0.1 or 10.0.0.0/8", n)
			}
			p = netip.PrefixFrom(a, a.BitLen())
		}
		*to = append(*to, p.Masked())
	}
	return nil
}

func level(to *slog.Level, s string) error {
	l, ok := logs.ParseLevel(s)
	if !ok {
		return fmt.Errorf("%q is not one of %s", s, strings.ToLower(strings.Join(logs.LevelNames(), ", ")))
	}
	*to = l
	return nil
}

func oneOf(to *string, s string, allowed ...string) error {
	if !slices.Contains(allowed, s) {
		names := slices.DeleteFunc(slices.Clone(allowed), func(a string) bool { return a == "" })
		return fmt.Errorf("%q is not one of %s", s, strings.Join(names, ", "))
	}
	*to = s
	return nil
}

// compat parses the name of a service to be compatible with, or "".
func compat(to *string, s string) error {
	if s != "" && s != "segb" {
		return fmt.Errorf("%q is not known; the only value is segb", s)
	}
	*to = s
	return nil
}

// onOrOff parses on, off or a boolean.
func onOrOff(to *bool, s string) error {
	switch s {
	case "on", "off":
		*to = s == "on"
		return nil
	}
	if boolean(to, s) != nil {
		return fmt.Errorf("%q is neither on nor off", s)
	}
	return nil
}

func boolean(to *bool, s string) error {
	b, err := strconv.ParseBool(s)
	if err != nil {
		return fmt.Errorf("%q is neither true nor false", s)
	}
	*to = b
	return nil
}

// lifetime parses a positive duration. Unlike time.ParseDuration it accepts days.
func lifetime(to *time.Duration, s string) error {
	d, err := time.ParseDuration(s)
	if days, ok := strings.CutSuffix(s, "d"); ok {
		var n uint64
		n, err = strconv.ParseUint(days, 10, 16)
		d = time.Duration(n) * 24 * time.Hour
	}
	if err != nil || d <= 0 {
		return fmt.Errorf("%q is not a time such as 30m, 24h or 90d", s)
	}
	*to = d
	return nil
}

// positive parses an integer of at least 1. Its upper limit keeps a number of MiB from
// overflowing.
func positive(to *int, s string) error {
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil || n == 0 {
		return fmt.Errorf("%q is not an integer of at least 1", s)
	}
	*to = int(n)
	return nil
}

// count parses a non-negative integer.
func count(to *int, s string) error {
	if s == "0" {
		*to = 0
		return nil
	}
	if positive(to, s) != nil {
		return fmt.Errorf("%q is not an integer of at least 0", s)
	}
	return nil
}

// list splits at commas and drops empty parts.
func list(s string) []string {
	var out []string
	for _, item := range strings.Split(s, ",") {
		if item = strings.TrimSpace(item); item != "" {
			out = append(out, item)
		}
	}
	return out
}

// optional parses a positive integer, and leaves n unchanged if the text is empty.
func optional(n *int, text string) error {
	if text == "" {
		return nil
	}
	return positive(n, text)
}

// logName reads the name of a log, which is the first line of its checkpoints and part of
// its verifier key.
func logName(to *string, s string) error {
	if strings.ContainsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r == '+' }) || !utf8.ValidString(s) {
		return fmt.Errorf("%q can't be the name of a log, because it has a space or a plus sign", s)
	}
	if err := visible(s); err != nil {
		return err
	}
	*to = s
	return nil
}

// visible refuses a name, or a key with a name, that has a character which nobody sees. It
// could be mistaken for another name.
func visible(name string) error {
	if r, found := quoted.Hidden(name); found {
		return fmt.Errorf("%.100q has the character U+%04X, which nobody sees; leave it out, or ask the sender of the name", name, r)
	}
	return nil
}

// verifierKeys reads verifier keys, which something else parses.
func verifierKeys(to *[]string, s string) error {
	*to = list(s)
	for _, k := range *to {
		if err := visible(k); err != nil {
			return err
		}
	}
	return nil
}

// maxWitnesses limits the witnesses of a log, the logs of a witness, and the centres of a box.
const maxWitnesses = 16

// maxBoxes limits the boxes of a centre.
const maxBoxes = 1000

// servers reads pairs of a verifier key and a URL. one and many name such a server and several. A comma also separates the
// NATS servers of one cluster, so an item that is only a host belongs to the pair before it.
func servers(to *[]string, s, one, many string, address func(*string, string) error) error {
	for _, w := range list(s) {
		fields := strings.Fields(w)
		var url string
		if n := len(*to); n > 0 && len(fields) == 1 && natsURL(&url, strings.Fields((*to)[n-1])[1]+","+w) == nil {
			(*to)[n-1] += "," + w // another server of the same cluster
			continue
		}
		if len(fields) != 2 || strings.Count(fields[0], "+") < 2 || address(&url, fields[1]) != nil {
			return fmt.Errorf("%q is not a %s: a verifier key, a space and a URL", w, one)
		}
		if err := visible(fields[0]); err != nil {
			return err
		}
		*to = append(*to, strings.Join(fields, " "))
	}
	return limitCount(*to, many, maxWitnesses)
}

// centreURL reads the address of a centre's API, or of NATS servers.
func centreURL(to *string, s string) error {
	if natsURL(to, s) == nil {
		return nil
	}
	return serviceURL(to, s)
}

// natsURL reads the address of NATS servers, separated by commas. TLS is used with tls, or if a server wants it.
func natsURL(to *string, s string) error {
	scheme, hosts, _ := strings.Cut(s, "://")
	bad := scheme != "nats" && scheme != "tls"
	for host := range strings.SplitSeq(hosts, ",") {
		u, err := url.Parse("nats://" + host)
		bad = bad || err != nil || u.Hostname() == "" || u.Host != host || strings.ContainsFunc(host, unicode.IsSpace)
	}
	if s != "" && bad {
		return fmt.Errorf("%q is not the address of NATS servers such as nats://localhost:4222", s)
	}
	*to = s
	return nil
}

// logKeys reads verifier keys. More than most are an error, which calls them what.
func logKeys(to *[]string, s, what string, most int) error {
	for _, k := range list(s) {
		if strings.Count(k, "+") < 2 || strings.ContainsFunc(k, unicode.IsSpace) {
			return fmt.Errorf("%q is not a verifier key such as segraph/2f03+1a2b3c4d+AWx0", k)
		}
		if err := visible(k); err != nil {
			return err
		}
		*to = append(*to, k)
	}
	return limitCount(*to, what, most)
}

func limitCount(values []string, what string, most int) error {
	if len(values) > most {
		return fmt.Errorf("%d %s are more than the limit of %d", len(values), what, most)
	}
	return nil
}
