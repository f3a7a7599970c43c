package webui

import (
	"net/url"
	"testing"
	"time"

	"github.com/segraph/segraph/views"
)

func TestReviewersAreCompared(t *testing.T) {
	s := newService(t)
	cases := s.addCases(4)
	ari, maria := s.signedInAs("ari", "admin"), s.signedInAs("maria", "admin")
	decide := func(b *visitor, id, do string) {
		s.now = s.now.Add(4 * time.Second)
		b.follow(b.post("/shared-context/decide", url.Values{"case": {id}, "do": {do}}))
	}
	undo := func(id string) {
		s.now = s.now.Add(10 * time.Minute) // a break
		ari.follow(ari.post("/shared-context/undo", url.Values{"id": {id}}))
	}
	for i, do := range []string{"accept", "accept", "reject", "accept"} {
		decide(ari, cases[i], do)
	}
	for i, do := range []string{"accept", "reject", "reject"} {
		undo(cases[i])
		decide(maria, cases[i], do)
	}
	page := ari.get("/shared-context?view=quality").Body.String()
	want(t, page,
		`<bdi>ari</bdi></th><td class="num">4</td><td class="num">75`, `<td class="num">4.0 s</td>`,
		`<bdi>maria</bdi></th><td class="num">3</td><td class="num">33`, `<td class="num">–</td>`, // each after a break
		`no person</th><td class="num">2</td><td class="num">2</td><td class="num">50`,
		`<bdi class="said">“ari”</bdi> and <bdi class="said">“maria”</bdi></th><td class="num">3</td><td class="num">67`, `<td class="num">0.40</td>`)
}

func TestAgreementBeyondChance(t *testing.T) {
	for _, c := range []struct {
		pair  views.ReviewPair
		kappa float64
		ok    bool
	}{
		{views.ReviewPair{Cases: 4, Same: 4, AcceptA: 2, AcceptB: 2}, 1, true},
		{views.ReviewPair{Cases: 4, Same: 2, AcceptA: 2, AcceptB: 2}, 0, true},
		{views.ReviewPair{Cases: 4, Same: 4, AcceptA: 4, AcceptB: 4}, 0, false},
	} {
		if got, ok := c.pair.Kappa(); got != c.kappa || ok != c.ok {
			t.Errorf("%+v: %v, %v", c.pair, got, ok)
		}
	}
}
