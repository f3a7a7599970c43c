package journal

import (
	"bytes"
	"runtime"
	"strings"
	"testing"
)

// listOf returns the body of a request that is signed over a list of lines.
func listOf(lines ...string) []byte {
	var list, rest strings.Builder
	for i, line := range lines {
		salt := Salt{byte(i), 1}
		list.WriteString(salt.Commit([]byte(line)) + "\n")
		l := Listed{Salt: salt, Line: []byte(line)}
		_, own, _ := bytes.Cut(l.Body(), []byte("\n0 "))
		rest.Write(append(own, '\n'))
	}
	return []byte(list.String() + "\n" + rest.String())
}

// TestEachLineOfASignedListIsKeptAlone splits a request into what is kept with each of
// its entries.
func TestEachLineOfASignedListIsKeptAlone(t *testing.T) {
	lines := []string{`{"ttl_content":"a"}`, `{"ttl_content":"b c"}`, `{"ttl_content":"a"}`}
	body := listOf(lines...)
	all, err := SplitListed(body)
	if err != nil || len(all) != 3 {
		t.Fatal(all, err)
	}
	for i, l := range all {
		kept := l.Body()
		for j, other := range lines {
			if other != lines[i] && bytes.Contains(kept, []byte(other)) {
				t.Errorf("with line %d line %d is kept", i, j)
			}
		}
		again, err := ParseListed(kept)
		if err != nil || string(again.Line) != lines[i] || again.Index != i || !bytes.HasPrefix(body, append(again.List, '\n')) {
			t.Errorf("line %d is kept as %+v, %v", i, again, err)
		}
	}
	kept := string(all[1].Body())
	for name, changed := range map[string]string{
		"another line":  strings.Replace(kept, "b c", "b d", 1),
		"another index": strings.Replace(kept, "\n1 ", "\n0 ", 1),
		"no such index": strings.Replace(kept, "\n1 ", "\n3 ", 1),
		"an index odd":  strings.Replace(kept, "\n1 ", "\n01 ", 1),
		"another salt":  strings.Replace(kept, "\n1 AQ", "\n1 AR", 1),
		"another list":  "A" + kept[1:],
		"no list":       strings.Replace(kept, "\n\n", "\n", 1),
		"no line":       kept[:strings.LastIndex(kept, "{")],
		"nothing":       "",
	} {
		if changed == kept {
			t.Fatalf("%s changes nothing", name)
		}
		l, err := ParseListed([]byte(changed))
		if name == "another list" && err == nil && !bytes.Equal(l.List, all[1].List) {
			continue // the signature shows it
		}
		if err == nil {
			t.Errorf("%s was read", name)
		}
	}
	for name, changed := range map[string]string{
		"a line more":   string(body) + "x",
		"a hash more":   "x\n" + string(body),
		"other order":   strings.Replace(string(body), "b c", "a", 1),
		"without lines": string(body[:bytes.Index(body, []byte("\n\n"))+2]),
	} {
		if l, err := SplitListed([]byte(changed)); err == nil {
			t.Errorf("%s was read as %v", name, l)
		}
	}
}

// A body of line breaks is refused before its lines are counted in memory.
func TestAListOfTooManyLinesTakesNoMemory(t *testing.T) {
	body := append([]byte("x\n\n"), bytes.Repeat([]byte("\n"), 16<<20)...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := SplitListed(body)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; err == nil || took > 1<<20 {
		t.Errorf("it takes %d bytes: %v", took, err)
	}
}
