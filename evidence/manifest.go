package evidence

import (
	"archive/zip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// manifestHead returns the first line of the manifest of a format. The log's key signs no
// other text that begins like this.
func manifestHead(format int) string { return fmt.Sprintf("segraph evidence bundle %d\n", format) }

// manifestOf returns the text of the manifest of some members: a line for each, in order
// of their names, with its SHA-256 and its size in bytes.
func manifestOf(origin string, m members) string {
	var b strings.Builder
	b.WriteString(manifestHead(lastFormat) + origin + "\n")
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if name != manifestName {
			fmt.Fprintf(&b, "%x %d %s\n", sha256.Sum256(m[name]), len(m[name]), name)
		}
	}
	return b.String()
}

// compare returns a failure for each member that differs from the manifest.
func (m members) compare(origin, manifest string) (out []*Failure) {
	lines, ok := "", false
	for f := 1; f <= lastFormat && !ok; f++ {
		lines, ok = strings.CutPrefix(manifest, manifestHead(f)+origin+"\n")
	}
	if !ok {
		return []*Failure{fail(manifestName, "it is not the manifest of a bundle of %s", origin)}
	}
	listed := map[string]bool{manifestName: true}
	for line := range strings.Lines(lines) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3)
		if len(parts) < 3 || listed[parts[2]] {
			out = append(out, fail(manifestName, "it has a line that can't be read: %q", line))
			continue
		}
		name := parts[2]
		listed[name] = true
		b, has := m[name]
		switch {
		case !has:
			out = append(out, fail(name, "it is missing"))
		case parts[0] != fmt.Sprintf("%x", sha256.Sum256(b)) || parts[1] != strconv.Itoa(len(b)):
			out = append(out, fail(name, "it was changed"))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if !listed[name] {
			out = append(out, fail(name, "it was added"))
		}
	}
	return out
}

// unzip reads all members of a zip file. The failures name those that can't be read. The
// error means that r is not a zip file, or too large.
func unzip(r io.ReaderAt, size int64) (m members, failures []*Failure, err error) {
	if size > maxSize {
		return nil, nil, fmt.Errorf("it has %d bytes, and a bundle has at most %d", size, maxSize)
	}
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, nil, fmt.Errorf("it is not a bundle: %w", err)
	}
	if len(z.File) > maxMembers {
		return nil, nil, fmt.Errorf("it has %d members, and a bundle has at most %d", len(z.File), maxMembers)
	}
	m = members{}
	left := int64(MaxBytes)
	for _, f := range z.File {
		if _, twice := m[f.Name]; twice {
			failures = append(failures, fail(f.Name, "the zip file has it twice"))
			continue
		}
		limit := sizeLimit(f.Name)
		if f.Name != pageName {
			limit = min(limit, left)
		}
		b, err := member(f, limit)
		if errors.Is(err, errTooLarge) {
			return nil, nil, fmt.Errorf("%q: %w", f.Name, err)
		}
		if m[f.Name] = b; f.Name != pageName {
			left -= int64(len(b))
		}
		if err != nil {
			failures = append(failures, fail(f.Name, "it was changed, and can't be read: %v", err))
		}
	}
	return m, failures, nil
}

// maxSize is the size of the largest zip file in bytes, with 400 for each member's name and
// place.
const maxSize = MaxBytes + maxPage + 400*maxMembers

var errTooLarge = fmt.Errorf("the bundle is too large: its members may have %d MiB, and an entry, a proof or a signature %d", MaxBytes>>20, maxSmall>>20)

// member reads a member of at most limit bytes.
func member(f *zip.File, limit int64) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if int64(len(b)) > limit {
		return nil, errTooLarge
	}
	return b, err
}

// zipped writes members as a zip file: the page first, the manifest last.
func (m members) zipped(w io.Writer) error {
	z := zip.NewWriter(w)
	names := slices.Sorted(maps.Keys(m))
	slices.SortStableFunc(names, func(a, b string) int { return order(a) - order(b) })
	for _, name := range names {
		to, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		if err == nil {
			_, err = to.Write(m[name])
		}
		if err != nil {
			return fmt.Errorf("writing a bundle: %w", err)
		}
	}
	if err := z.Close(); err != nil {
		return fmt.Errorf("writing a bundle: %w", err)
	}
	return nil
}

func order(name string) int {
	switch name {
	case pageName:
		return 0
	case manifestName:
		return 2
	}
	return 1
}
