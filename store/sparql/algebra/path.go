package algebra

// Step is a property path, or a part of one: *Link, *Inverse, *Sequence, *Alternative,
// *Repeat or *Negated. Outside a Repeat, links, sequences, alternatives and inverses
// become triple patterns instead (SPARQL 1.1, section 18.2.2.4).
type Step interface{ step() }

// Link is one step along a property.
type Link struct{ IRI string }

// Inverse is a path in the opposite direction.
type Inverse struct{ Step Step }

// Sequence is one path after another.
type Sequence struct{ Steps []Step }

// Alternative is any one of several paths.
type Alternative struct{ Steps []Step }

// Repeat is a repeated path: ? (Zero), + (Many) or * (both). It finds each end once,
// also with neither, when the path is not repeated.
type Repeat struct {
	Step Step
	Zero bool // zero repetitions are allowed
	Many bool // more than one repetition is allowed
}

// Negated is one step along any property except IRIs, in one direction.
type Negated struct{ IRIs []string }

// Reverse returns the path from the other end, with inverses only at its leaves.
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

// CanBeEmpty reports whether the path leads from a node to itself in zero steps.
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

func (*Link) step()        {}
func (*Inverse) step()     {}
func (*Sequence) step()    {}
func (*Alternative) step() {}
func (*Repeat) step()      {}
func (*Negated) step()     {}
