package webui

import (
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/journal"
)

func TestAnInsertIsWithdrawnByAnEntryOfItsOwn(t *testing.T) {
	s := newService(t)
	s.publish("<http://e/a> <http://e/b> 1 .")
	b := s.signedIn("admin")
	const text = "<http://e/a> <http://e/b> 1, 2 ."
	ticket := b.check(text)
	id := b.insert(text, ticket)
	want(t, b.get("/logs/insert").Body.String(), "Your last logs from this page", "2 triples", id)

	asked := b.get("/logs/insert?withdraw=" + id)
	wantPage(t, asked, 200, "Withdraw this log?")
	want(t, asked.Body.String(), id, `&lt;http://e/a&gt; &lt;http://e/b&gt; 1 , 2 .`)
	if strings.Contains(asked.Body.String(), "You did not insert this log") {
		t.Error("it is said not to be the visitor's")
	}
	if got := b.graph(); strings.Count(got, "\n") != 2 {
		t.Errorf("it was withdrawn before the visitor said so: %s", got)
	}
	w := b.send(map[string]string{"action": "withdraw", "log": id, "user": "operator"}, nil)
	wantPage(t, w, 200, "The log is withdrawn")
	want(t, w.Body.String(), "1 triple that only this log contributed", "1 triple that other logs contributed too")
	if got := b.get("/logs/insert").Body.String(); strings.Contains(got, "Your last logs") {
		t.Error("it offers to withdraw what was withdrawn")
	}
	page, err := s.store.Logs(t.Context(), journal.Filter{Limit: 1, Look: 10}, nil)
	if err != nil || page.Entries[0].Action != journal.Withdraw || page.Entries[0].Withdrawn != id || page.Entries[0].Claimed != "operator" || page.Entries[0].Removed != 1 {
		t.Errorf("the journal ends with %+v, %v", page.Entries, err)
	}
	for _, again := range []*httptest.ResponseRecorder{b.send(map[string]string{"action": "withdraw", "log": id}, nil), b.get("/logs/insert?withdraw=" + id)} {
		wantPage(t, again, 409, "This log was withdrawn, or its graph was deleted")
	}
	wantPage(t, b.send(map[string]string{"action": "withdraw", "log": "nothing"}, nil), 404, "There is no log with this id")
	wantPage(t, b.send(map[string]string{"action": "withdraw"}, nil), 422, "does not name the log to withdraw")
	wantPage(t, b.get("/logs/insert?withdraw=nothing"), 404, "There is no log with this id")
	w = b.send(map[string]string{"ttl": text, "action": "insert", "ticket": ticket}, nil)
	want(t, w.Body.String(), "The document changed after the check") // the ticket is used up
}

// TestUndoWithdrawsTheLogOfItsOwnLine inserts three logs and withdraws the middle one.
func TestUndoWithdrawsTheLogOfItsOwnLine(t *testing.T) {
	s := newService(t)
	b := s.signedIn("admin")
	b.insert("<http://e/a> <http://e/b> 1 .", b.check("<http://e/a> <http://e/b> 1 ."))
	middle := b.insert("<http://e/a> <http://e/b> 2, 3 .", b.check("<http://e/a> <http://e/b> 2, 3 ."))
	b.insert("<http://e/a> <http://e/b> 4 .", b.check("<http://e/a> <http://e/b> 4 ."))
	page := b.get("/logs/insert").Body.String()
	line := regexp.MustCompile(`(?s)<li[^>]*>.*?</li>`).FindAllString(page[strings.Index(page, "last-title"):], -1)
	if len(line) != 3 || !strings.Contains(line[1], middle) || !strings.Contains(line[1], "2 triples") {
		t.Fatalf("the lines are %q", line)
	}
	address := regexp.MustCompile(`href="([^"]*withdraw[^"]*)"`).FindStringSubmatch(line[1])
	asked := b.get(address[1]).Body.String()
	field := regexp.MustCompile(`name="log" value="([^"]*)"`).FindStringSubmatch(asked)
	if field == nil || field[1] != middle {
		t.Fatalf("%s asks about %v", address[1], field)
	}
	wantPage(t, b.send(map[string]string{"action": "withdraw", "log": field[1]}, nil), 200, "The log is withdrawn")
	if got := b.graph(); strings.Count(got, "\n") != 2 || strings.Contains(got, `"2"`) || strings.Contains(got, `"3"`) {
		t.Errorf("left is %s", got)
	}
	// A script uses only the result, which has the Undo of the stored log and no other.
	b.header.Set("HX-Request", "true")
	const text = "<http://e/a> <http://e/b> 5 ."
	w := b.send(map[string]string{"ttl": text, "action": "insert", "ticket": b.check(text)}, nil)
	if got := strings.Count(w.Body.String(), "withdraw="); got != 1 {
		t.Errorf("%d to undo: %s", got, w.Body)
	}
}

// TestUndoOffersNoRobotsLogAsYours covers robots that use the person's own token, and no
// authentication.
func TestUndoOffersNoRobotsLogAsYours(t *testing.T) {
	for name, s := range map[string]*fixture{"one token": newService(t), "no authentication": openService(t)} {
		t.Run(name, func(t *testing.T) {
			b := s.visitor()
			if s.auth.Enabled() {
				b = s.signedIn("admin")
			}
			own := b.insert("<http://e/a> <http://e/b> 1 .", b.check("<http://e/a> <http://e/b> 1 ."))
			r := httptest.NewRequest("POST", "/ttl?user=robot", strings.NewReader("<http://e/a> <http://e/b> 2 ."))
			r.Header.Set("Content-Type", "text/turtle")
			if s.auth.Enabled() {
				r.Header.Set("Authorization", "Bearer "+s.token("admin"))
			}
			w := httptest.NewRecorder()
			s.api.ServeHTTP(w, r)
			robots := regexp.MustCompile(`"log_id":"([^"]+)"`).FindStringSubmatch(w.Body.String())
			if robots == nil {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			page := b.get("/logs/insert").Body.String()
			if !strings.Contains(page, own) || strings.Contains(page, robots[1]) {
				t.Errorf("it offers %s of %s and %s of the robot", page, own, robots[1])
			}
			if !s.auth.Enabled() {
				want(t, page, "Last inserted on this page")
			}
			wantPage(t, b.get("/logs/insert?withdraw="+robots[1]), 200, "You did not insert this log on this page")
		})
	}
}
