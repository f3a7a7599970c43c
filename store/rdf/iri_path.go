package rdf

import "bytes"

// removeDotSegments removes the "." and ".." segments from path, in place, and returns
// the result (RFC 3986, section 5.2.4, with its steps A to E). It takes linear time.
func removeDotSegments(path []byte) []byte {
	out := path[:0] // never longer than the consumed part of in
	for in := path; len(in) > 0; {
		segment, rest := cutSegment(in)
		switch string(segment) {
		case ".", "..": // A, D: only at the start of a path without a leading "/"
			in = bytes.TrimPrefix(rest, []byte{'/'})
		case "/.", "/..": // B, C
			if len(segment) == len("/..") {
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

// cutSegment splits path before its second segment. The first keeps its leading "/".
func cutSegment(path []byte) (segment, rest []byte) {
	if i := bytes.IndexByte(path[1:], '/'); i >= 0 {
		return path[:i+1], path[i+1:]
	}
	return path, nil
}
