package admin

import (
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/views/viewstest"
)

func TestAnInsertIsWithdrawnByAnEntryOfItsOwn(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.Publish("<http://e/a> <http://e/b> 1 .")
	b := s.SignedIn("admin")
	const text = "<http://e/a> <http://e/b> 1, 2 ."
	ticket := b.Check(text)
	id := b.Insert(text, ticket)
	viewstest.Want(t, b.Get("/logs/insert").Body.String(), "Your last logs from this page", "2 triples", id)

	asked := b.Get("/logs/insert?withdraw=" + id)
	viewstest.WantPage(t, asked, 200, "Withdraw this log?")
	viewstest.Want(t, asked.Body.String(), id, `&lt;http://e/a&gt; &lt;http://e/b&gt; 1 , 2 .`)
	if strings.Contains(asked.Body.String(), "You did not publish this log") {
		t.Error("it is said not to be the visitor's")
	}
	if got := b.Graph(); strings.Count(got, "\n") != 2 {
		t.Errorf("it was withdrawn before the visitor said so: %s", got)
	}
	w := b.Send(map[string]string{"action": "withdraw", "log": id, "user": "operator"}, nil)
	viewstest.WantPage(t, w, 200, "The log is withdrawn")
	viewstest.Want(t, w.Body.String(), "1 triple that only this log contributed", "1 triple that other logs contributed too")
	if got := b.Get("/logs/insert").Body.String(); strings.Contains(got, "Your last logs") {
		t.Error("it offers to withdraw what was withdrawn")
	}
	page, err := s.Store.Logs(t.Context(), journal.Filter{Limit: 1, Look: 10}, nil)
	if err != nil || page.Entries[0].Action != journal.Withdraw || page.Entries[0].Withdrawn != id || page.Entries[0].Claimed != "operator" || page.Entries[0].Removed != 1 {
		t.Errorf("the journal ends with %+v, %v", page.Entries, err)
	}
	for _, again := range []*httptest.ResponseRecorder{b.Send(map[string]string{"action": "withdraw", "log": id}, nil), b.Get("/logs/insert?withdraw=" + id)} {
		viewstest.WantPage(t, again, 409, "This log was withdrawn, or its graph was deleted")
	}
	viewstest.WantPage(t, b.Send(map[string]string{"action": "withdraw", "log": "nothing"}, nil), 404, "There is no log with this id")
	viewstest.WantPage(t, b.Send(map[string]string{"action": "withdraw"}, nil), 422, "does not name the log to withdraw")
	viewstest.WantPage(t, b.Get("/logs/insert?withdraw=nothing"), 404, "There is no log with this id")
	w = b.Send(map[string]string{"ttl": text, "action": "insert", "ticket": ticket}, nil)
	viewstest.Want(t, w.Body.String(), "The document changed after the check") // the ticket is used up
}

// TestUndoWithdrawsTheLogOfItsOwnLine inserts three logs and withdraws the middle one.
func TestUndoWithdrawsTheLogOfItsOwnLine(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.SignedIn("admin")
	b.Insert("<http://e/a> <http://e/b> 1 .", b.Check("<http://e/a> <http://e/b> 1 ."))
	middle := b.Insert("<http://e/a> <http://e/b> 2, 3 .", b.Check("<http://e/a> <http://e/b> 2, 3 ."))
	b.Insert("<http://e/a> <http://e/b> 4 .", b.Check("<http://e/a> <http://e/b> 4 ."))
	page := b.Get("/logs/insert").Body.String()
	line := regexp.MustCompile(`(?s)<li[^>]*>.*?</li>`).FindAllString(page[strings.Index(page, "last-title"):], -1)
	if len(line) != 3 || !strings.Contains(line[1], middle) || !strings.Contains(line[1], "2 triples") {
		t.Fatalf("the lines are %q", line)
	}
	address := regexp.MustCompile(`href="([^"]*withdraw[^"]*)"`).FindStringSubmatch(line[1])
	asked := b.Get(address[1]).Body.String()
	field := regexp.MustCompile(`name="log" value="([^"]*)"`).FindStringSubmatch(asked)
	if field == nil || field[1] != middle {
		t.Fatalf("%s asks about %v", address[1], field)
	}
	viewstest.WantPage(t, b.Send(map[string]string{"action": "withdraw", "log": field[1]}, nil), 200, "The log is withdrawn")
	if got := b.Graph(); strings.Count(got, "\n") != 2 || strings.Contains(got, `"2"`) || strings.Contains(got, `"3"`) {
		t.Errorf("left is %s", got)
	}
	// A script uses only the result, which has the Undo of the stored log and no other.
	b.Header.Set("HX-Request", "true")
	const text = "<http://e/a> <http://e/b> 5 ."
	w := b.Send(map[string]string{"ttl": text, "action": "insert", "ticket": b.Check(text)}, nil)
	if got := strings.Count(w.Body.String(), "withdraw="); got != 1 {
		t.Errorf("%d to undo: %s", got, w.Body)
	}
}

// TestUndoOffersNoRobotsLogAsYours covers robots that use the person's own token, and no
// authentication.
func TestUndoOffersNoRobotsLogAsYours(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]*fixture{"one token": newService(t), "no authentication": openService(t)} {
		t.Run(name, func(t *testing.T) {
			b := s.NewVisitor()
			if s.Auth.Enabled() {
				b = s.SignedIn("admin")
			}
			own := b.Insert("<http://e/a> <http://e/b> 1 .", b.Check("<http://e/a> <http://e/b> 1 ."))
			r := httptest.NewRequest("POST", "/ttl?user=robot", strings.NewReader("<http://e/a> <http://e/b> 2 ."))
			r.Header.Set("Content-Type", "text/turtle")
			if s.Auth.Enabled() {
				r.Header.Set("Authorization", "Bearer "+s.Token("admin"))
			}
			w := httptest.NewRecorder()
			s.API.ServeHTTP(w, r)
			robots := regexp.MustCompile(`"log_id":"([^"]+)"`).FindStringSubmatch(w.Body.String())
			if robots == nil {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			page := b.Get("/logs/insert").Body.String()
			if !strings.Contains(page, own) || strings.Contains(page, robots[1]) {
				t.Errorf("it offers %s of %s and %s of the robot", page, own, robots[1])
			}
			if !s.Auth.Enabled() {
				viewstest.Want(t, page, "Last published on this page")
			}
			viewstest.WantPage(t, b.Get("/logs/insert?withdraw="+robots[1]), 200, "You did not publish this log on this page")
		})
	}
}

// A log may tell more than was read of it.
func TestAWithdrawalCountsWhatWasRead(t *testing.T) {
	t.Parallel()
	m := Withdrawal{Read: 2000, Log: StoredLog{Triples: 3000}, Texts: []string{"hi"}, Emotions: 9}
	viewstest.Show(t, WithdrawPage(viewstest.Frame("Withdraw a log", "/logs/insert"), m)).Holds(`
At least this, in its first 2,000 triples.
<dt>At least 1 message</dt>
<dd>At least 9 emotions</dd>
`)
}
