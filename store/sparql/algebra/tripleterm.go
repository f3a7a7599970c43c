package algebra

// TripleTerm binds variables to the parts of triple terms: its solutions are all triple
// terms of the dataset that state a triple S P O. A triple pattern in the same Join has
// Term as its subject or object, so terms of other graphs do no harm.
type TripleTerm struct {
	Term    Slot // hidden
	S, P, O Node
	// Known is about how many triple terms have the constant parts. Evaluators may read all
	// of these at once. It is 0 if there are too many or nobody counted them.
	Known int64
	// FullScan asks for that: the planner expects many rows that bind Term.
	FullScan bool
}

// TripleTermCounts describes some triple terms of a dataset, for planning.
type TripleTermCounts struct {
	// Indexed reports whether triple terms can be found by their parts.
	Indexed bool
	// Count is about how many there are, and All how many triple terms the dataset has.
	Count, All float64
	// Per holds about how many of all triple terms share their subject, predicate and
	// object with one of these, on average.
	Per [3]float64
}
