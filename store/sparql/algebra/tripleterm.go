package algebra

// TripleTerm binds variables to the parts of triple terms. It has a solution for each
// triple term of the dataset whose triple matches S P O. A triple pattern in the same
// Join has Term as its subject or object, so triple terms that occur only in other
// graphs add no solutions.
type TripleTerm struct {
	Term    Slot // hidden
	S, P, O Node
	// Known is about how many triple terms have the constant parts. Evaluators may read
	// all of them at once. It is 0 if there are too many, or if they were not counted.
	Known int64
	// FullScan asks evaluators to read all of them at once, because the planner expects
	// many rows that bind Term.
	FullScan bool
}

// TripleTermCounts describes some triple terms of a dataset, for planning.
type TripleTermCounts struct {
	// Count is their approximate number. All is the approximate number of all triple
	// terms of the dataset.
	Count, All float64
	// Per holds, for the subject, the predicate and the object, about how many triple
	// terms of the dataset have the same part as one of these, on average.
	Per [3]float64
}
