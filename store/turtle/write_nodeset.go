package turtle

import "github.com/segraph/segraph/store/rdf"

// nodeSet is a set of blank nodes. Labels such as b17, which the embedded store assigns,
// take about a bit each if their numbers are close. Other labels take their text.
type nodeSet struct {
	bits   map[uint64]uint64 // by number / 64
	labels map[string]struct{}
}

func (s *nodeSet) add(b rdf.Term) {
	if n, ok := number(b.Value()); ok {
		if s.bits == nil {
			s.bits = make(map[uint64]uint64)
		}
		s.bits[n/64] |= 1 << (n % 64)
		return
	}
	if s.labels == nil {
		s.labels = make(map[string]struct{})
	}
	s.labels[b.Value()] = struct{}{}
}

func (s *nodeSet) has(b rdf.Term) bool {
	if n, ok := number(b.Value()); ok {
		return s.bits[n/64]>>(n%64)&1 != 0
	}
	_, ok := s.labels[b.Value()]
	return ok
}

// number returns N of a label bN: at most 18 digits without a leading zero.
func number(label string) (n uint64, ok bool) {
	if len(label) < 2 || len(label) > 19 || label[0] != 'b' || label[1] == '0' && len(label) > 2 {
		return 0, false
	}
	for i := 1; i < len(label); i++ {
		if !isDigit(label[i]) {
			return 0, false
		}
		n = n*10 + uint64(label[i]-'0')
	}
	return n, true
}
