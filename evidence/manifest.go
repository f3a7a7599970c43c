package evidence

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// manifestHead is the first line of a manifest. The log's key signs no other text that
// begins like this.
var manifestHead = fmt.Sprintf("segraph evidence bundle %d\n", bundleFormat)

// manifestOf returns the text of the manifest of some members: a line for each, in order
// of their names, with its SHA-256 and its size in bytes.
func manifestOf(origin string, m members) string {
	var b strings.Builder
	b.WriteString(manifestHead + origin + "\n")
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if name != manifestName {
			fmt.Fprintf(&b, "%x %d %s\n", sha256.Sum256(m[name]), len(m[name]), name)
		}
	}
	return b.String()
}

// listing is what the manifest says about a member.
type listing struct{ sum, size string }

// parseManifest returns what a manifest lists, by name. The error is a *Failure.
func parseManifest(origin, manifest string) (map[string]listing, error) {
	lines, ok := strings.CutPrefix(manifest, manifestHead+origin+"\n")
	if !ok {
		return nil, fail(manifestName, "it is not the manifest of a bundle of %s", origin)
	}
	listed := map[string]listing{}
	for line := range strings.Lines(lines) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3)
		if len(parts) < 3 || listed[parts[2]] != (listing{}) || parts[2] == manifestName {
			return nil, fail(manifestName, "it has a line that can't be read: %.300q", line)
		}
		listed[parts[2]] = listing{parts[0], parts[1]}
	}
	return listed, nil
}

// compare adds the members that the manifest lists to m. The error joins a *Failure for
// each that differs. No member is read that has another size than the manifest says.
func (a *archive) compare(listed map[string]listing, m members) error {
	var failures []error
	for _, name := range slices.Sorted(maps.Keys(listed)) {
		p := a.places[name]
		switch {
		case p == nil:
			failures = append(failures, fail(name, "it is missing"))
			continue
		case listed[name].size != strconv.FormatUint(uint64(p.size), 10):
			failures = append(failures, fail(name, "it was changed: it has %d bytes, and the manifest says %.20s", p.size, listed[name].size))
			continue
		}
		b, err := a.read(name)
		if err == nil && listed[name].sum != fmt.Sprintf("%x", sha256.Sum256(b)) {
			err = fail(name, "it was changed")
		}
		if m[name] = b; err != nil {
			failures = append(failures, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.places)) {
		if _, is := listed[name]; !is && name != manifestName {
			failures = append(failures, fail(name, "it was added"))
		}
	}
	return errors.Join(failures...)
}
