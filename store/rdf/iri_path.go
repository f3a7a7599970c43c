package rdf

import "bytes"

// removeDotSegments takes the "." and ".." segments out of path, in place, and gives what
// is left (RFC 3986, section 5.2.4, whose steps A to E the letters name). It looks at each
// byte a constant number of times.
func removeDotSegments(path []byte) []byte {
	out := path[:0] // never longer than what was taken from in
	for in := path; len(in) > 0; {
		segment, rest := cutSegment(in)
		switch string(segment) {
		case ".", "..": // A, D: only at the start of a path without a leading "/"
			in = bytes.TrimPrefix(rest, []byte{'/'})
		case "/.", "/..": // B, C
			if len(segment) == 3 {
				out = out[:max(0, bytes.LastIndexByte(out, '/'))]
			}
			if len(rest) == 0 {
				out = append(out, '/')
			}
			in = rest
		default: // E
			out = append(out, segment...)
			in = rest
		}
	}
	return out
}

// cutSegment cuts path before its second segment. The first keeps its leading "/".
func cutSegment(path []byte) (segment, rest []byte) {
	if i := bytes.IndexByte(path[1:], '/'); i >= 0 {
		return path[:i+1], path[i+1:]
	}
	return path, nil
}
