package algebra

// Step is a property path as far as it can't be written as triple patterns, which
// sequences, alternatives and inverses of it can (SPARQL 1.1, section 18.2.2.4). Inside
// of a Repeat all kinds occur: *Link, *Inverse, *Sequence, *Alternative, *Repeat,
// *Negated.
type Step interface{ step() }

// Link is one step by a property.
type Link struct{ IRI string }

// Inverse is a path backwards.
type Inverse struct{ Step Step }

// Sequence is one path after another.
type Sequence struct{ Steps []Step }

// Alternative is any of several paths.
type Alternative struct{ Steps []Step }

// Repeat is zero-or-one, zero-or-more or one-or-more times a path, each end found once.
type Repeat struct {
	Step Step
	Zero bool // zero times will do
	Many bool // more than once will do
}

// Negated is one step by any property but these, in one direction.
type Negated struct{ IRIs []string }

func (*Link) step()        {}
func (*Inverse) step()     {}
func (*Sequence) step()    {}
func (*Alternative) step() {}
func (*Repeat) step()      {}
func (*Negated) step()     {}

// Reverse returns the path from the other end, with inverses at the leaves alone.
func Reverse(s Step) Step {
	switch x := s.(type) {
	case *Inverse:
		return x.Step
	case *Sequence:
		out := &Sequence{}
		for i := len(x.Steps) - 1; i >= 0; i-- {
			out.Steps = append(out.Steps, Reverse(x.Steps[i]))
		}
		return out
	case *Alternative:
		out := &Alternative{}
		for _, alternative := range x.Steps {
			out.Steps = append(out.Steps, Reverse(alternative))
		}
		return out
	case *Repeat:
		return &Repeat{Step: Reverse(x.Step), Zero: x.Zero, Many: x.Many}
	}
	return &Inverse{Step: s} // a link or a negated set
}

// CanBeEmpty reports whether the path leads from a node to itself without a step.
func CanBeEmpty(s Step) bool {
	switch x := s.(type) {
	case *Inverse:
		return CanBeEmpty(x.Step)
	case *Sequence:
		for _, s := range x.Steps {
			if !CanBeEmpty(s) {
				return false
			}
		}
		return true
	case *Alternative:
		for _, s := range x.Steps {
			if CanBeEmpty(s) {
				return true
			}
		}
	case *Repeat:
		return x.Zero || CanBeEmpty(x.Step)
	}
	return false
}
