package syntax

// Path is a property path: *Link, *InversePath, *SequencePath, *AlternativePath,
// *RepeatPath or *NegatedSet (SPARQL 1.1, section 9.1).
type Path interface{ Position() Pos }

// Link is one step from subject to object by the property IRI.
type Link struct {
	Pos
	IRI string
}

// InversePath is ^Path.
type InversePath struct {
	Pos
	Path Path
}

// SequencePath is Paths[0]/Paths[1]/…, two or more.
type SequencePath struct {
	Pos
	Paths []Path
}

// AlternativePath is Paths[0]|Paths[1]|…, two or more.
type AlternativePath struct {
	Pos
	Paths []Path
}

// RepeatPath is Path*, Path+ or Path?.
type RepeatPath struct {
	Pos
	Path Path
	Op   byte // '*' (zero or more), '+' (one or more) or '?' (zero or one)
}

// Zero and Many report whether zero repetitions, and more than one, are allowed.
func (p *RepeatPath) Zero() bool { return p.Op == '*' || p.Op == '?' }
func (p *RepeatPath) Many() bool { return p.Op == '*' || p.Op == '+' }

// NegatedSet is !(…): one step by a property that is not in the set. It steps forward if
// Links is empty or one of them is not Inverse, and backward if one of them is Inverse.
type NegatedSet struct {
	Pos
	Links []NegatedLink
}

// NegatedLink is a member of a NegatedSet.
type NegatedLink struct {
	Link
	Inverse bool
}
