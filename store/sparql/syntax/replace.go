package syntax

import "strings"

// ReplaceIRI returns a query, text, with each use of the IRI old replaced by another one, and
// reports whether there was any. It leaves strings, comments and declarations of prefixes
// alone, and does not resolve relative IRIs. Where the text has no valid token, it stops.
func ReplaceIRI(text, old, replacement string) (replaced string, found bool) {
	l := newLexer(text)
	prefixes := map[string]string{}
	var out strings.Builder
	done := 0           // end of the text that is already in out
	var declared *token // after PREFIX, the name of the prefix once it was read; otherwise nil
	for {
		t, err := l.next()
		if err != nil || t.kind == tokenEnd {
			break
		}
		switch {
		case t.kind == tokenWord && strings.EqualFold(t.text, "PREFIX"):
			declared = new(token)
			continue
		case declared != nil && t.kind == tokenName:
			*declared = t
			continue
		case declared != nil && t.kind == tokenIRI:
			prefixes[declared.prefix] = t.value
		case t.kind == tokenIRI && t.value == old, t.kind == tokenName && prefixes[t.prefix] != "" && prefixes[t.prefix]+t.value == old:
			out.WriteString(text[done : l.off-len(t.text)])
			out.WriteString(shortest(replacement, prefixes))
			done = l.off
		}
		declared = nil
	}
	out.WriteString(text[done:])
	return out.String(), done > 0
}

// shortest returns an IRI as a prefixed name if that needs no escapes, and otherwise in
// brackets.
func shortest(iri string, prefixes map[string]string) string {
	best := "<" + iri + ">"
	for label, namespace := range prefixes {
		local, ok := strings.CutPrefix(iri, namespace)
		plain := ok && local != "" && strings.Trim(local, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
		if short := label + ":" + local; plain && (len(short) < len(best) || len(short) == len(best) && short < best) {
			best = short
		}
	}
	return best
}
