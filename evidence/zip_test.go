package evidence

import (
	"bytes"
	"compress/flate"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/segraph/segraph/internal/suite"
)

// raw is a member of a zip file that may differ from those of bundles.
type raw struct {
	place
	data           []byte // as in the file
	local, central func(header []byte) []byte
	after          string // bytes between this member and the next
	at             func(at uint32) uint32
}

// rawOf returns the members of a bundle, deflated, in an order that bundles may have.
func rawOf(m members) (out []*raw) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		out = append(out, rawMember(name, m[name]))
	}
	return out
}

func rawMember(name string, data []byte) *raw {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, 9)
	w.Write(data)
	w.Close()
	same := func(header []byte) []byte { return header }
	return &raw{place{name, deflated, crc32.ChecksumIEEE(data), uint32(b.Len()), uint32(len(data)), 0}, b.Bytes(), same, same, "", func(at uint32) uint32 { return at }}
}

// joined writes members as a zip file that begins with some bytes. It calls order with the
// directory's entries before it writes them.
func joined(front string, all []*raw, order func(entries [][]byte) [][]byte) []byte {
	b := []byte(front)
	var entries [][]byte
	for _, m := range all {
		m.place.at = m.at(uint32(len(b)))
		b = slices.Concat(b, m.local(m.place.local()), m.data, []byte(m.after))
		entries = append(entries, m.central(m.place.central()))
	}
	if order != nil {
		entries = order(entries)
	}
	directory := slices.Concat(entries...)
	return slices.Concat(b, directory, endRecord(len(entries), uint32(len(directory)), uint32(len(b))))
}

// edit returns a change of a header: at an offset it has other bytes.
func edit(at int, with ...byte) func([]byte) []byte {
	return func(header []byte) []byte {
		copy(header[at:], with)
		return header
	}
}

// extra returns a change of a header: it has an extra field at its end, whose length is at
// an offset.
func extra(at int, field string) func([]byte) []byte {
	return func(header []byte) []byte {
		header[at] = byte(len(field))
		return append(header, field...)
	}
}

// attack is a file that some programs take for a good bundle, and others for another one.
type attack struct {
	what  string
	file  []byte
	words string // in what Go says
}

// attacks returns zip files with the members of a good bundle, and with more than that.
func (k *kit) attacks(good members) (out []attack) {
	file := k.fileOf(good)
	add := func(what, words string, file []byte) { out = append(out, attack{what, file, words}) }
	evil := maps.Clone(good)
	evil[pageName] = []byte("<p>The robot said that the door is open.")
	evilFile := k.fileOf(evil)

	const whole = "does not end with the directory and the end record"
	add("a byte in front", whole, append([]byte("x"), file...))
	add("a program in front, with offsets that fit", "bytes do not follow", joined("MZ\x90\x00#!/bin/sh\n", rawOf(good), nil))
	add("a byte after the end", whole, append(slices.Clone(file), 0))
	add("a zip file in front", whole, slices.Concat(evilFile, file))
	add("a zip file after it", whole, slices.Concat(file, evilFile))
	add("a zip file in front, with offsets that fit", "bytes do not follow", joined(string(evilFile), rawOf(good), nil))
	add("a comment", whole, append(edit(len(file)-2, 3)(slices.Clone(file)), "abc"...))
	other := slices.Concat(file, evilFile)
	add("a comment with a directory of its own", whole, edit(len(file)-2, binary.LittleEndian.AppendUint16(nil, uint16(len(evilFile)))...)(other))
	add("two directories", "between its members and its directory", joined("", append(rawOf(good), &raw{place: place{}, data: nil, local: func([]byte) []byte {
		var all []byte
		for _, m := range rawOf(evil) {
			all = append(all, m.place.central()...)
		}
		return all
	}, central: func([]byte) []byte { return nil }, at: func(at uint32) uint32 { return at }}), func(e [][]byte) [][]byte { return e[:len(e)-1] }))

	end := len(file) - endSize
	add("disk 1", whole, edit(end+4, 1)(slices.Clone(file)))
	add("a directory on disk 1", whole, edit(end+6, 1)(slices.Clone(file)))
	add("one member less on this disk", whole, edit(end+8, byte(len(good)-1))(slices.Clone(file)))
	add("one member less", "between its members", edit(end+8, byte(len(good)-1), 0, byte(len(good)-1))(slices.Clone(file)))
	add("counts of zip64", "at most", edit(end+8, 0xff, 0xff, 0xff, 0xff)(slices.Clone(file)))
	zip64 := slices.Concat([]byte("PK\x06\x06\x2c\x00\x00\x00\x00\x00\x00\x00"), make([]byte, 44), []byte("PK\x06\x07"), make([]byte, 16))
	add("records of zip64", whole, slices.Concat(file[:end], zip64, file[end:]))
	add("records of zip64 in the directory", "has the name", edit(len(file)+len(zip64)-endSize+12, binary.LittleEndian.AppendUint32(nil, binary.LittleEndian.Uint32(file[end+12:])+uint32(len(zip64)))...)(slices.Concat(file[:end], zip64, file[end:])))

	// change changes one member, and adds the others as they are.
	change := func(what, words string, change func(m *raw)) {
		all := rawOf(good)
		change(all[slices.IndexFunc(all, func(m *raw) bool { return m.name == "graphs/1.nq" })])
		add(what, words, joined("", all, nil))
	}
	const header, entry = "its local header differs", "its entry in the directory is not as in a bundle"
	for what, local := range map[string]func([]byte) []byte{
		"another name": edit(localSize, []byte("GRAPHS/1.nq")...), "a page's name": func(b []byte) []byte { return append(edit(26, 10)(b)[:localSize], pageName...) },
		"version 4.5": edit(4, 45), "encryption": edit(6, 1), "a descriptor": edit(6, 8), "UTF-8": edit(7, 8), "another method": edit(8, 0), "a time": edit(10, 1),
		"a date": edit(12, 0x21), "another CRC-32": edit(14, 1, 2, 3, 4), "no CRC-32 and no sizes": edit(14, make([]byte, 12)...), "sizes of zip64": edit(18, slices.Repeat([]byte{255}, 8)...),
		"an extra field": extra(28, "up\x01\x00x"), "another name in an extra field": extra(28, "up\x10\x00\x01\x00\x00\x00\x00index.html!"),
	} {
		change("a local header with "+what, header, func(m *raw) { m.local = local })
	}
	for what, central := range map[string]func([]byte) []byte{
		"made by Unix": edit(5, 3), "version 4.5": edit(6, 45), "encryption": edit(8, 1), "a descriptor": edit(8, 8), "a time": edit(12, 1), "a date": edit(14, 0x21), "a comment": extra(32, "x"),
		"another disk": edit(34, 1), "text": edit(36, 1), "a folder": edit(38, 0x10), "a symbolic link": edit(40, 0, 0xa0), "the place of the first member": edit(42, 0, 0, 0, 0), "an extra field": extra(30, "up\x01\x00x"),
		"sizes of zip64": func(b []byte) []byte {
			return extra(30, "\x01\x00\x10\x00"+strings.Repeat("\x01\x00\x00\x00\x00\x00\x00\x00", 2))(edit(20, slices.Repeat([]byte{255}, 8)...)(b))
		},
	} {
		words := entry
		if what == "sizes of zip64" {
			words = "its entry in the directory"
		}
		change("an entry with "+what, words, func(m *raw) { m.central = central })
	}
	both := func(local, central int, with ...byte) func(*raw) {
		return func(m *raw) { m.local, m.central = edit(local, with...), edit(central, with...) }
	}
	change("both headers with a descriptor, which follows", entry, func(m *raw) {
		both(6, 8, 8)(m)
		le := binary.LittleEndian
		m.after = string(le.AppendUint32(le.AppendUint32(le.AppendUint32([]byte("PK\x07\x08"), m.sum), m.packed), m.size))
	})
	change("both headers with version 4.5", entry, both(4, 6, 45))
	change("both headers with Deflate64", "neither stored nor deflated", both(8, 10, 9))
	change("both headers with a time", entry, both(10, 12, 1, 2, 3, 4))
	change("a byte between two members", "bytes do not follow", func(m *raw) { m.after = "x" })
	change("a member that the directory leaves out", "bytes do not follow", func(m *raw) {
		hidden := rawMember("graphs/2.nq", []byte("hidden"))
		m.after = string(hidden.place.local()) + string(hidden.data)
	})
	change("stored bytes with a size of their own", "neither stored nor deflated", func(m *raw) { m.method = stored })
	change("a byte after the compressed ones", "after its compressed bytes", func(m *raw) { m.data = append(m.data, 0); m.packed++ })
	change("two compressed streams", "after its compressed bytes", func(m *raw) { m.data = slices.Concat(m.data, m.data); m.packed *= 2 })
	change("no last block", "can't be read", func(m *raw) { m.data = m.data[:len(m.data)-1]; m.packed-- })
	change("no compressed bytes", "can't be read", func(m *raw) { m.data = nil; m.packed = 0 })
	for by, words := range map[uint32]string{1: "can't be read", ^uint32(0): "has more bytes"} {
		all := rawOf(good)
		all[slices.IndexFunc(all, func(m *raw) bool { return m.name == keysName })].size += by
		add("another size of the keys", words, joined("", all, nil))
		change("another size", "the manifest says", func(m *raw) { m.size += by })
	}
	change("another CRC-32", "CRC-32", func(m *raw) { m.sum++ })

	all := rawOf(good)
	add("a directory in another order", "bytes do not follow", joined("", all, func(e [][]byte) [][]byte { slices.Reverse(e); return e }))
	add("an entry twice", "twice", joined("", rawOf(good), func(e [][]byte) [][]byte { return append(e, e[0]) }))
	add("a member that the directory ends before", "between its members", joined("", rawOf(good), func(e [][]byte) [][]byte { return e[:len(e)-1] }))
	for _, name := range []string{"graphs/1.nq", "index.html", "keys", "manifest"} {
		add("twice "+name, "twice", joined("", append(rawOf(good), rawMember(name, []byte("x"))), nil))
		add("twice, before the good one, "+name, "twice", joined("", append([]*raw{rawMember(name, []byte("x"))}, rawOf(good)...), nil))
	}
	for _, name := range []string{"KEYS", "Index.html", "index.html.", "index.html ", "./keys", "keys/", "/keys", "../keys", "..", "", "C:keys", `entries\1`, "entries//1", "entries/./1", "entries/01",
		"entries/+1", "entries/1\x00", "keys\x00.txt", "entries/1\n", "keys\n", "entries/", "graphs/1", "graphs/1.NQ", "graphs/1.nq/x", "graphs/\u0661.nq", "ke\u200bys", "\uff4beys", "\u212aeys", "ke\u0301ys", "x", "entries/1234567890123456789",
		"bodies/1.nq", strings.Repeat("x", 70000)} {
		add("the name "+name[:min(len(name), 30)], "name", joined("", append(rawOf(good), rawMember(name, []byte("x"))), nil))
	}
	return out
}

// TestAZipFileWithTwoMeaningsIsRefused: programs that extract a zip file differ in which of
// its parts they believe, so a bundle has nothing that they can read differently.
func TestAZipFileWithTwoMeaningsIsRefused(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	k := newKit(t)
	good := k.bundle(About{Logs: []string{k.publish("ari", greeting)}})
	attacks := k.attacks(good)
	files := [][]byte{joined("", rawOf(good), nil)}
	for _, a := range attacks {
		files = append(files, a.file)
	}
	said := k.pythonFiles(files)
	for i, b := range files {
		r, err := Verify(bytes.NewReader(b), int64(len(b)), k.key)
		k.check(err)
		if i == 0 { // the members in another order, all of them deflated
			if len(r.Failures) > 0 || !strings.HasPrefix(said[0][0], "It holds: ") {
				t.Fatalf("the good bundle: %v, %q", r.Failures, said[0])
			}
			continue
		}
		a := attacks[i-1]
		if len(r.Failures) != 1 || !strings.Contains(r.Failures[0].Error(), a.words) || r.Holds != "" {
			t.Errorf("%s: %v", a.what, r.Failures)
		}
		if len(said[i]) != 1 || strings.HasPrefix(said[i][0], "It holds") || strings.HasPrefix(said[i][0], "it can't be verified") {
			t.Errorf("%s: Python says %q", a.what, said[i])
		}
	}
}

// TestOnlySignedSizesAreRead: before a signature holds, a bundle of some kilobytes takes no
// memory for what its headers promise.
func TestOnlySignedSizesAreRead(t *testing.T) {
	suite.NotShort(t)
	k := newKit(t)
	id := k.publish("ari", greeting)
	k.rotate()
	good := k.bundle(About{Logs: []string{id}})
	zeros := make([]byte, maxPage)
	with := func(name string, size int) []byte {
		m := maps.Clone(good)
		m[name] = zeros[:size]
		return k.fileOf(m)
	}
	signed := maps.Clone(good)
	signed["graphs/1.nq"] = zeros[:MaxBytes/2]
	k.resign(signed)
	again := rawOf(signed)
	promised := again[slices.IndexFunc(again, func(m *raw) bool { return m.name == "graphs/1.nq" })]
	promised.size, promised.data, promised.packed = 1<<20, zeros[:100], 100
	bombs := [][]byte{with(pageName, maxPage), with("graphs/1.nq", MaxBytes/2), with("graphs/1.nq", MaxBytes+1), with(keysName, maxSmall), with(keysName, maxSmall+1),
		with(manifestName, maxManifest), with(manifestName, maxManifest+1), joined("", again, nil)}
	for i, b := range bombs {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := Verify(bytes.NewReader(b), int64(len(b)), k.key)
		runtime.ReadMemStats(&after)
		if k.check(err); len(r.Failures) == 0 {
			t.Errorf("bomb %d holds", i)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 64<<20 {
			t.Errorf("bomb %d of %d bytes takes %d bytes", i, len(b), took)
		}
	}
	for i, lines := range k.pythonFiles(bombs) {
		if strings.HasPrefix(lines[0], "It holds") || strings.Contains(lines[0], "MemoryError") {
			t.Errorf("bomb %d: Python says %q", i, lines)
		}
	}
	if r, err := Verify(bytes.NewReader(nil), maxSize+1, k.key); err != nil || len(r.Failures) != 1 {
		t.Errorf("a file that is too large: %v, %v", r, err)
	}
}

// TestKeysThatTheFormerDidNotNameAreRefused signs a bundle with a key of somebody else, and
// says in different ways that it is the log's.
func TestKeysThatTheFormerDidNotNameAreRefused(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	k := newKit(t)
	id := k.publish("ari", greeting)
	k.rotate()
	good := k.bundle(About{Logs: []string{id}})
	keys, err := parseKeys(good[keysName])
	k.check(err)
	private := ed25519.NewKeyFromSeed(make([]byte, 32))
	other := k.otherKey()
	hash := strings.Split(other, "+")[1]
	signer, err := note.NewSigner("PRIVATE+KEY+example.org/log+" + hash + "+" + base64.StdEncoding.EncodeToString(append([]byte{1}, private.Seed()...)))
	k.check(err)
	signed := func(text string) string {
		b, err := note.Sign(&note.Note{Text: text}, signer)
		k.check(err)
		return string(b)
	}
	names := func(key string) string {
		return signed("segraph key rotation\n" + key + "\nexample.org/log\n1\n" + base64.StdEncoding.EncodeToString(make([]byte, 32)) + "\n")
	}
	var files [][]byte
	for _, x := range []struct {
		what string
		keys []namedKey
	}{
		{"it names itself", append(slices.Clone(keys), namedKey{other, names(other)})},
		{"the former named another", append(slices.Clone(keys), namedKey{other, keys[1].note})},
		{"the former named it, says the newer", []namedKey{{key: other}, {k.key, names(k.key)}, {other, names(other)}}},
		{"no note", []namedKey{{key: k.key}, {key: other}}},
		{"a note with another line", append(slices.Clone(keys), namedKey{other, names(other) + "x\n"})},
		{"alone", []namedKey{{key: other}}},
	} {
		m := maps.Clone(good)
		m[keysName] = keysText(x.keys)
		m[manifestName] = []byte(signed(manifestOf("example.org/log", m)))
		files = append(files, k.fileOf(m))
		if r := k.verify(m); len(r.Failures) != 1 || r.Failures[0].Member != keysName {
			t.Errorf("%s: %v", x.what, r.Failures)
		}
	}
	for i, lines := range k.pythonFiles(append(files, k.fileOf(good))) {
		if i == len(files) && !strings.HasPrefix(lines[0], "It holds: ") || i < len(files) && !strings.HasPrefix(lines[0], "keys: ") {
			t.Errorf("keys %d: Python says %q", i, lines)
		}
	}
	k.key = keys[0].key // the reader's
	k.holds(good)
	if lines := k.pythonFiles([][]byte{k.fileOf(good)})[0]; !strings.HasPrefix(lines[0], "It holds: ") {
		t.Errorf("with the first key, Python says %q", lines)
	}
}
