package provenance

import "time"

// LookUp makes withdrawals use a lookup of at most room bytes from the second on, however many triples they are of.
func (p *Provenance) LookUp(room int64) { p.share, p.room = 0, room }

// Most is most.
func (p *Patience) Most(n int) time.Duration { return p.most(n) }
