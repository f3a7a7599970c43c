package reports

import (
	"testing"

	"github.com/segraph/segraph/views/viewstest"
)

func TestTheEvidencePage(t *testing.T) {
	t.Parallel()
	f := viewstest.Frame("Evidence", "/evidence")
	viewstest.Show(t, EvidencePage(f, Evidence{IRI: "http://e/<a>"})).Golden("evidence-what", `aria-labelledby="what-title"`).Golden("evidence-between", `aria-labelledby="between-title"`).Holds(`
<pre id="verify" tabindex="0">
<button type="button" class="mini" data-copy="#verify" hidden>
`).Reads(`
# Evidence
Proof of what was logged, for people who do not trust this service.
# What to prove
The triples with http://e/<a> as subject or object, each with a log that contains it.
form post /evidence [log=] [iri=http://e/<a>] [case=] [Make the bundle]
# Everything between two times
All entries of the journal in this interval, with a proof that none is missing. So the bundle also shows what was not logged.
form post /evidence
From (UTC) [from=]
Until (UTC) [to=]
Only logs of user [user=]
[Make the bundle]
# What a bundle is
A zip file. Its page index.html says in words what is proved and what is not. The other files are the proofs. Anyone can verify it offline, with the log’s key:
segraph evidence verify bundle.zip --key KEY
Send the key separately from the bundle. segraph audit key prints it.
`)
	viewstest.Show(t, EvidencePage(f, Evidence{From: "noon", Wrong: "\"noon\" is not a time."})).Holds(`
<input id="from" name="from" type="datetime-local" step="1" value="noon" required>
`).Reads(`
# Evidence
Proof of what was logged, for people who do not trust this service.
No bundle was made
"noon" is not a time.
# Everything between two times
All entries of the journal in this interval, with a proof that none is missing. So the bundle also shows what was not logged.
form post /evidence
From (UTC) [from=noon]
Until (UTC) [to=]
Only logs of user [user=]
[Make the bundle]
…
`)
}
