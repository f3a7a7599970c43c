package reports

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"rsc.io/qr"

	"github.com/segraph/segraph/demo"
	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/views"
)

// Limits of a vote. It ends votingTime after its first ballot.
const (
	votingTime = 20 * time.Second
	ticketTime = 10 * time.Minute // how long a link to a vote is valid
	maxGuests  = 1000             // ballots of one vote
	stageTurns = 6                // turns on the stage
)

// Live is a demo that plays in real time: its stage and its votes. Its methods are safe
// for concurrent use.
type Live struct {
	link string // address of the UI, as a phone opens it
	now  func() time.Time
	key  [32]byte // signs links to vote

	mu     sync.Mutex
	number int // of changes
	latest string
	turns  []LiveTurn
	turn   int // number of the last turn
	ask    *vote
	over   bool
}

// vote is a case that the audience decides.
type vote struct {
	LiveAsk
	caseID  string
	ends    time.Time // zero before the first ballot
	first   string
	ballots map[string]string // by guest
}

// NewLive returns an empty stage.
func NewLive(now func() time.Time) *Live {
	l := &Live{now: now}
	_, _ = rand.Read(l.key[:]) // never fails
	return l
}

// Open sets the address of the UI, as a phone opens it.
func (l *Live) Open(link string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.link = link
}

// Say shows what a robot reports. event is the event that the report is about, or "".
// shared means that another robot has reported the event too. doubt means that a person
// must decide whether another robot has. A report of no turn is not shown, but pages that
// follow the demo learn its event.
func (l *Live) Say(r demo.Report, robot, event string, shared, doubt bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.number++
	if event != "" {
		l.latest = event
	}
	if r.Line.Turn == 0 {
		return
	}
	if r.Line.Turn != l.turn {
		l.turn = r.Line.Turn
		l.turns = append(l.turns, LiveTurn{Number: l.turn})
		l.turns = l.turns[max(0, len(l.turns)-stageTurns):]
	}
	turn := &l.turns[len(l.turns)-1]
	line := LiveLine{Robot: robot, Speaker: r.Line.Speaker, Text: r.Line.Text, Answer: r.Line.Speaker == robot}
	if r.Line.Mood != "" {
		line.Mood = fmt.Sprintf("%s %d %%", r.Line.Mood, r.Line.Percent)
	}
	turn.Lines = append(slices.Clip(turn.Lines), line) // a copy, because a Stage may have the old slice
	turn.Shared, turn.Doubt = turn.Shared || shared, turn.Doubt || doubt
}

// Over shows that the story has ended.
func (l *Live) Over() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.number, l.over = l.number+1, true
}

// Ask asks the audience about a case of the current turn: whether the first two lines that are no answers are about one
// event. There must be a turn.
func (l *Live) Ask(caseID string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	v := &vote{LiveAsk: LiveAsk{Turn: l.turn}, caseID: caseID, ballots: map[string]string{}}
	heard := 0
	for _, line := range l.turns[len(l.turns)-1].Lines {
		if !line.Answer && heard < 2 {
			v.Robots[heard], v.Texts[heard] = line.Robot, line.Text
			heard++
		}
	}
	v.Link = l.link + "/vote?t=" + l.ticket(caseID, l.now().Add(ticketTime))
	code, err := qr.Encode(v.Link, qr.M)
	if err != nil {
		return fmt.Errorf("draw the code of a vote: %w", err)
	}
	v.QR = drawCode(code)
	l.ask, l.number = v, l.number+1
	return nil
}

// drawCode returns a code with a margin of four modules, as ISO/IEC 18004 requires.
func drawCode(code *qr.Code) QR {
	const margin = 4
	var path strings.Builder
	for y := range code.Size {
		for x := range code.Size {
			if code.Black(x, y) {
				fmt.Fprintf(&path, "M%d %dh1v1h-1z", x+margin, y+margin)
			}
		}
	}
	return QR{Size: code.Size + 2*margin, Path: path.String()}
}

// Verdict returns what the audience decided, "accept" or "reject", once after the end of a vote,
// and "" at any other time. In a tie, the first ballot decides.
func (l *Live) Verdict() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	v := l.ask
	if v == nil || v.Verdict != "" || v.ends.IsZero() || l.now().Before(v.ends) {
		return ""
	}
	v.Verdict = v.first
	if v.Accept > v.Reject {
		v.Verdict = "accept"
	} else if v.Reject > v.Accept {
		v.Verdict = "reject"
	}
	for i := range l.turns {
		if l.turns[i].Number == v.Turn {
			l.turns[i].Shared, l.turns[i].Doubt = v.Verdict == "accept", false
		}
	}
	l.number++
	return v.Verdict
}

// Link returns the address of the vote, or "" if there is none.
func (l *Live) Link() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ask == nil {
		return ""
	}
	return l.ask.Link
}

// Voting reports whether somebody has voted and the vote has not ended.
func (l *Live) Voting() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ask != nil && !l.ask.ends.IsZero() && l.ask.Verdict == ""
}

// Close ends a vote that nobody has decided. Its case waits in the review queue.
func (l *Live) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ask, l.number = nil, l.number+1
}

// cast counts a guest's choice. The error is a problem for the guest.
func (l *Live) cast(caseID, guest, choice string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	v := l.ask
	switch {
	case choice != "accept" && choice != "reject":
		return front.NewProblem(http.StatusUnprocessableEntity, "the form says neither accept nor reject")
	case v == nil || v.caseID != caseID || v.Verdict != "":
		return front.NewProblem(http.StatusConflict, "this vote has ended")
	case v.ballots[guest] != "":
		return front.NewProblem(http.StatusConflict, "you have voted already")
	case len(v.ballots) >= maxGuests:
		return front.NewProblem(http.StatusConflict, "this vote counts at most %d guests", maxGuests)
	}
	v.ballots[guest] = choice
	if choice == "accept" {
		v.Accept++
	} else {
		v.Reject++
	}
	if v.ends.IsZero() {
		v.first, v.ends = choice, l.now().Add(votingTime)
	}
	l.number++
	return nil
}

// stage returns what is on the stage.
func (l *Live) stage() Stage {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := Stage{Turns: append([]LiveTurn(nil), l.turns...), Over: l.over}
	if l.ask != nil {
		ask := l.ask.LiveAsk
		if !l.ask.ends.IsZero() && ask.Verdict == "" {
			ask.Left = max(1, int(l.ask.ends.Sub(l.now()).Seconds()))
		}
		m.Ask = &ask
	}
	return m
}

// ticket returns the permission to vote on one case until a time.
func (l *Live) ticket(caseID string, until time.Time) string {
	claim := caseID + "." + strconv.FormatInt(until.Unix(), 36)
	return claim + "." + base64.RawURLEncoding.EncodeToString(l.sign(claim))
}

func (l *Live) sign(claim string) []byte {
	h := hmac.New(sha256.New, l.key[:])
	h.Write([]byte(claim))
	return h.Sum(nil)[:16]
}

// caseOf returns the case of a ticket. The error is a problem for the guest.
func (l *Live) caseOf(ticket string) (string, error) {
	end := strings.LastIndexByte(ticket, '.')
	if end < 0 {
		end = 0
	}
	claim := ticket[:end]
	sum, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(ticket[end:], "."))
	if err != nil || !hmac.Equal(sum, l.sign(claim)) {
		return "", front.NewProblem(http.StatusForbidden, "this link is not valid; scan the code again")
	}
	id, until, _ := strings.Cut(claim, ".")
	if seconds, err := strconv.ParseInt(until, 36, 64); err != nil || !l.now().Before(time.Unix(seconds, 0)) {
		return "", front.NewProblem(http.StatusForbidden, "this link has expired; scan the code again")
	}
	return id, nil
}

// getLive shows the stage.
func (u *handlers) getLive(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	f := u.Frame(r, v, "Live")
	f.Styles, f.Refresh = []string{"live.css"}, 2
	return u.Show(w, r, http.StatusOK, LivePage(f, u.live.stage()))
}

// getStage shows what is on the stage now. A script requests it each second.
func (u *handlers) getStage(w http.ResponseWriter, r *http.Request, _ *views.Visit) error {
	front.Quiet(r)
	return u.Show(w, r, http.StatusOK, LiveStage(u.live.stage()))
}

// getFollow redirects to the graph of the latest event, or to the replay of the latest
// minutes. Scripts on both pages then request it again, with the number of changes that
// they know as the parameter after. If there are newer ones, they get the new address.
func (u *handlers) getFollow(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	q, l := r.URL.Query(), u.live
	l.mu.Lock()
	number, latest := l.number, l.latest
	l.mu.Unlock()
	follow := url.Values{"page": {q.Get("page")}, "after": {strconv.Itoa(number)}}
	if after := q.Get("after"); after == strconv.Itoa(number) {
		front.Quiet(r)
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	to := url.Values{"follow": {follow.Encode()}}
	path := "/kg-graph"
	switch {
	case q.Get("page") == "replay":
		path = "/replay"
		to.Set("from", v.Now.Add(-10*time.Minute).UTC().Format(time.RFC3339))
		to.Set("to", v.Now.Add(time.Minute).UTC().Format(time.RFC3339))
		to.Set("t", v.Now.UTC().Format(time.RFC3339))
	case latest != "":
		to.Set("node", latest)
	}
	address := path + "?" + to.Encode()
	if q.Has("after") {
		front.Quiet(r)
		w.Header().Set("X-Follow", u.Base()+address)
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	u.Redirect(w, r, address)
	return nil
}
