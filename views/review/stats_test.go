package review

import (
	"net/url"
	"testing"
	"time"

	"github.com/segraph/segraph/views/viewstest"
)

func TestReviewersAreCompared(t *testing.T) {
	t.Parallel()
	s := newService(t)
	cases := s.AddCases(4)
	ari, maria := s.SignedInAs("ari", "admin"), s.SignedInAs("maria", "admin")
	decide := func(b *viewstest.Visitor, id, do string) {
		s.Now = s.Now.Add(4 * time.Second)
		b.Follow(b.Post("/shared-context/decide", url.Values{"case": {id}, "do": {do}}))
	}
	undo := func(id string) {
		s.Now = s.Now.Add(10 * time.Minute) // a break
		ari.Follow(ari.Post("/shared-context/undo", url.Values{"id": {id}}))
	}
	for i, do := range []string{"accept", "accept", "reject", "accept"} {
		decide(ari, cases[i], do)
	}
	for i, do := range []string{"accept", "reject", "reject"} {
		undo(cases[i])
		decide(maria, cases[i], do)
	}
	page := ari.Get("/shared-context?view=quality").Body.String()
	viewstest.Want(t, page,
		`<bdi>ari</bdi></th><td class="num" data-of="Cases">4</td><td class="num" data-of="Same event">75`, `>4.0 s</td>`,
		`<bdi>maria</bdi></th><td class="num" data-of="Cases">3</td><td class="num" data-of="Same event">33`, `>–</td>`, // each after a break
		`no person</th><td class="num">2</td><td class="num">2</td></tr>`,
		`ari and maria</th><td class="num">3</td><td class="num">67`, `<td class="num">0.40</td>`)
}

func TestAgreementBeyondChance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pair  ReviewPair
		kappa float64
		ok    bool
	}{
		{ReviewPair{Cases: 4, Same: 4, AcceptA: 2, AcceptB: 2}, 1, true},
		{ReviewPair{Cases: 4, Same: 2, AcceptA: 2, AcceptB: 2}, 0, true},
		{ReviewPair{Cases: 4, Same: 4, AcceptA: 4, AcceptB: 4}, 0, false},
	} {
		if got, ok := c.pair.Kappa(); got != c.kappa || ok != c.ok {
			t.Errorf("%+v: %v, %v", c.pair, got, ok)
		}
	}
}
