package provenance

// LookUp makes withdrawals use a lookup of at most room bytes from the second on, however many triples they are of.
func (p *Provenance) LookUp(room int64) { p.share, p.room = 0, room }
