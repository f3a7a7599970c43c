package evidence

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/segraph/segraph/internal/quoted"
	"github.com/segraph/segraph/store/log/journal"
)

// Verify rebuilds the page and compares every byte. So after the first release a word of it
// changes only with the format.

// shownTriples is how many triples of a log the page shows.
const shownTriples = 200

const pageHead = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Evidence</title>
<style>
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; }
h1, h2, h3 { line-height: 1.2; }
section { margin-block: 2rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid gray; padding: .25rem .5rem; text-align: start; vertical-align: top; overflow-wrap: anywhere; }
pre { overflow-wrap: anywhere; white-space: pre-wrap; }
.claim { font-size: 1.2rem; }
.gone { font-weight: bold; }
.v { border: 1px solid gray; border-radius: .25rem; padding: 0 .2rem; overflow-wrap: anywhere; }
@media print { section.log { break-inside: avoid-page; } }
</style>
</head>
<body>
<main>
`

const pageFoot = "</main>\n</body>\n</html>\n"

// page returns the page of a bundle, or nil if the page would be larger than maxPage.
func page(c *contents) []byte {
	w := &writer{}
	w.WriteString(pageHead)
	w.line("<h1>Evidence of %s</h1>", esc(c.claim.Origin))
	w.line(`<p class="claim">%s</p>`, sentence(c.holds()))
	w.line("<p>Made, as the service says, at %s for %s, from the log’s first %s.</p>", esc(shown(c.claim.Made)), value(c.claim.By), count(c.checkpoint.size, "entry", "entries"))
	c.writeLimits(w)
	c.writeSubject(w)
	c.writeTriples(w)
	for _, e := range c.logs() {
		c.writeLog(w, e)
	}
	c.writeOthers(w, "observations", "What robots observed", isObservation)
	c.writeOthers(w, "decisions", "What people decided", func(e *journal.Entry) bool { return e.Decides() && !isObservation(e) })
	c.writeOthers(w, "removals", "What was removed", isRemoval)
	c.writeOthers(w, "signers", "The senders’ keys", isSigningKey)
	c.writeOthers(w, "keys", "The log’s keys", isKey)
	if c.claim.About.From != nil {
		c.writeInterval(w)
	}
	c.writeCheck(w)
	w.writePrefixes()
	w.WriteString(pageFoot)
	if w.full {
		return nil
	}
	return w.Bytes()
}

// writer collects the page.
type writer struct {
	bytes.Buffer
	used [len(prefixes)]bool // prefixes of the names on the page
	full bool                // a page would be larger than maxPage
}

func (w *writer) line(format string, args ...any) {
	if w.full = w.full || w.Len() > maxPage; !w.full {
		fmt.Fprintf(w, format+"\n", args...)
	}
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")

// esc escapes a text for the page. Characters that could hide a part of it become visible.
func esc(s string) string { return escaper.Replace(quoted.Text(s)) }

// sentence returns a sentence with its values set apart, in HTML.
func sentence(s string) string {
	var b strings.Builder
	for _, p := range quoted.Parts(s) {
		if p.Value {
			b.WriteString("<bdi class=v>" + esc(p.Text) + "</bdi>")
		} else {
			b.WriteString(esc(p.Text))
		}
	}
	return b.String()
}

// value returns a value that somebody sent, quoted and set apart, in HTML.
func value(s string) string { return sentence(quoted.Value(s)) }

// writeSubject writes what the bundle is about.
func (c *contents) writeSubject(w *writer) {
	switch a := c.claim.About; {
	case a.IRI != "":
		w.line("<p>The bundle is about %s.</p>", value(a.IRI))
	case a.Case != "":
		w.line("<p>The bundle is about the review case %s.</p>", value(a.Case))
	case a.Query != "":
		w.line("<h2>The query</h2>\n<p>The bundle was made of the triples that match the patterns of this query, as the service says.</p>\n<pre>%s</pre>", esc(a.Query))
	}
}

// writeTriples shows the claimed triples, and which log said each.
func (c *contents) writeTriples(w *writer) {
	if len(c.claim.Triples) == 0 {
		return
	}
	w.line("<section>\n<h2>Triples</h2>\n<table>\n<tr><th>Subject<th>Predicate<th>Object<th>Said by")
	for _, t := range c.claim.Triples {
		said := "no log was found: not proved"
		if t.Log != nil {
			e := c.entries[*t.Log]
			said = fmt.Sprintf(`<a href="#entry-%d">entry %d</a>, %s`, *t.Log, *t.Log, sentence(valueOf(e, journal.Who, e.Actor)))
			if _, has := c.graphs[*t.Log]; !has {
				said += ": not proved, since its content can't be computed again"
			}
		}
		w.line("<tr>%s<td>%s", w.cells(t.Text), said)
	}
	w.line("</table>\n</section>")
}

// writeLog shows a log: who sent it and when, and what it said.
func (c *contents) writeLog(w *writer, item Entry) {
	e := c.entries[item.Index]
	w.line(`<section class="log" id="entry-%d">`, item.Index)
	w.line("<h2>Log %s</h2>", esc(e.LogID))
	w.line("<p>Entry %d: %s</p>", item.Index, sentence(describe(e)))
	w.line("<p>Signed by: %s</p>", c.signedBy(item))
	graph, has := c.graphs[item.Index]
	if !has {
		w.line(`<p class="gone">%s</p>`, sentence(c.gone(item)))
		w.line("</section>")
		return
	}
	graph = bytes.TrimSuffix(graph, []byte("\n"))
	w.line("<table>\n<tr><th>Subject<th>Predicate<th>Object")
	for i, line := range strings.SplitN(string(graph), "\n", shownTriples+1) {
		if i < shownTriples {
			w.line("<tr>%s", w.cells(line))
		}
	}
	w.line("</table>")
	if more := bytes.Count(graph, []byte("\n")) + 1 - shownTriples; more > 0 {
		w.line("<p>The other %s are in <code>graphs/%d.nq</code>.</p>", count(uint64(more), "triple", "triples"), item.Index)
	}
	w.line("</section>")
}

// gone says why a bundle does not have what a log said.
func (c *contents) gone(item Entry) string {
	e := c.entries[item.Index]
	if item.RemovedBy != nil {
		before := ""
		if item.Open == nil || item.Open.Who == nil { // an erasure took it, and may have taken the content
			before = ", or by an erasure before it,"
		}
		by := c.entries[*item.RemovedBy]
		return fmt.Sprintf("As the service says, the content was erased by entry %d%s and can't be computed again. That entry says: %s The commitment of entry %d still stands. A person who kept the document and its salt can prove what it was.", *item.RemovedBy, before, describe(by), item.Index)
	}
	if e.Part > 0 && e.Graph != "" {
		return "The content of this part is not in the bundle, which would be too large. The entry commits to it."
	}
	why := "it is no longer known completely, as the service says"
	switch {
	case e.Commitment == "":
		why = "the entry does not commit to it"
	case e.Part > 0 && e.Bytes == "":
		why = "the log was stored in parts"
	case strings.HasPrefix(e.Canon, "none: "):
		why = "the entry commits only to the document's bytes: " + strings.TrimPrefix(e.Canon, "none: ")
	}
	return "The content can't be computed again: " + why + "."
}

func isObservation(e *journal.Entry) bool { return e.Action == journal.Resolve }

func isRemoval(e *journal.Entry) bool {
	return e.Action == journal.Clear || e.Action == journal.Withdraw || e.Action == journal.Remove
}

func isKey(e *journal.Entry) bool { return e.Action == journal.Origin || e.Action == journal.Rotate }

func isSigningKey(e *journal.Entry) bool {
	return e.Action == journal.UseKey || e.Action == journal.DropKey
}

// isSent reports whether an entry is of a log or of an observation.
func isSent(e *journal.Entry) bool { return e.Action == journal.Insert || e.Action == journal.Resolve }

// isHidden reports whether an entry has a group of values that the bundle does not show.
func isHidden(e *journal.Entry, g journal.Group) bool {
	_, shown := e.Salted.Salt(g)
	return e.Salted.Hashes[g] != "" && !shown
}

// notShown stands for a value of a group that the bundle does not show.
const notShown = "(not shown here)"

// valueOf returns a value of a group of an entry, quoted, or notShown.
func valueOf(e *journal.Entry, g journal.Group, value string) string {
	if isHidden(e, g) {
		return notShown
	}
	return quoted.Value(value)
}

// keyOf returns the id of the key that an entry names, or notShown.
func keyOf(e *journal.Entry) string {
	if isHidden(e, journal.Who) {
		return notShown
	}
	return e.Signer
}

// writeOthers lists the entries of some kind, unless the table of all entries has them.
func (c *contents) writeOthers(w *writer, id, title string, wanted func(*journal.Entry) bool) {
	var rows []uint64
	for _, e := range c.claim.Entries {
		if wanted(c.entries[e.Index]) && (c.claim.About.From == nil || !c.within(e.Index)) {
			rows = append(rows, e.Index)
		}
	}
	if len(rows) > 0 {
		w.line("<section id=\"%s\">\n<h2>%s</h2>", id, title)
		c.writeEntries(w, rows)
		w.line("</section>")
	}
}

// writeEntries writes a table of the entries with some indexes.
func (c *contents) writeEntries(w *writer, rows []uint64) {
	w.line("<table>\n<tr><th>Entry<th>What it says")
	for _, i := range rows {
		e, signed := c.entries[i], ""
		if e.Action == journal.Resolve && e.SignatureHash != "" {
			signed = "<br>Signed by: " + c.signedBy(Entry{Index: i})
		}
		w.line("<tr><td>%d<td>%s%s", i, sentence(describe(e)), signed)
	}
	w.line("</table>")
}

// writeInterval lists the entries between two times, and their neighbours.
func (c *contents) writeInterval(w *writer) {
	a := c.claim.About
	w.line("<section>\n<h2>Entries from %s to %s</h2>", esc(shown(*a.From)), esc(shown(*a.To)))
	if a.First == 0 {
		w.line("<p>The log begins here.</p>")
	} else {
		w.line("<p>Before: entry %d, %s</p>", a.First-1, sentence(describe(c.entries[a.First-1])))
	}
	if rows := c.inInterval(); len(rows) == 0 {
		w.line("<p>There is no entry.</p>")
	} else {
		c.writeEntries(w, rows)
	}
	if end := a.First + a.Count; end == c.checkpoint.size {
		w.line("<p>Here the log ended when the bundle was made, as the service says.</p>")
	} else {
		w.line("<p>After: entry %d, %s</p>", end, sentence(describe(c.entries[end])))
	}
	w.line("</section>")
}

// writeLimits says what the bundle does not prove.
func (c *contents) writeLimits(w *writer) {
	w.line("<section>\n<h2>What is not claimed</h2>\n<ul>")
	for _, what := range c.limits(false) {
		w.line("<li>%s", what)
	}
	w.line("</ul>\n</section>")
}

// writeCheck says how to verify the bundle.
func (c *contents) writeCheck(w *writer) {
	w.line("<section>\n<h2>Do not believe this page</h2>")
	w.line("<p>Anybody can write a page. Verify the bundle with a key that you have from somebody you trust, and not from here:</p>")
	w.line("<pre>segraph evidence verify bundle.zip --key KEY\npython3 verify_bundle.py KEY bundle.zip</pre>")
	w.line("<p>The first command also rebuilds this page, and says if it contradicts its proofs. The bundle was signed with the key <code>%s</code>. The checkpoint:</p>", esc(c.keys[len(c.keys)-1].key))
	w.line("<pre>%s</pre>", esc(string(c.checkpoint.signed)))
	switch witnesses := c.checkpoint.witnesses(); {
	case len(witnesses) > 0:
		w.line("<p>The checkpoint names these witnesses: %s. To verify that a witness cosigned it, add <code>--witness WITNESS_KEY</code> to the first command.</p>", sentence(names(witnesses)))
	default:
		w.line("<p>No witness has signed the checkpoint.</p>")
	}
	w.line("</section>")
}
