package eval

import "slices"

// components are the strongly connected components of the pairs, found by Tarjan's
// algorithm. All members of one lead to the same pairs.
type components struct {
	gaveUp  bool    // because not all successors are known
	index   []int32 // by pair: in the order of visits, from 1
	low     []int32 // by pair: the lowest index that it leads to
	of      []int32 // by pair: the number of its component, from 1
	stack   []int32
	calls   []call
	circles []circle // by component
	listed  int      // pairs in all lists
}

// call is a visit of a pair that is under way.
type call struct{ pair, done int32 }

// circle is a component.
type circle struct {
	closed bool    // its members lead to themselves
	list   []int32 // the pairs that they lead to, or nil
}

func (c *components) circle(pair int32) bool {
	return int(pair) < len(c.of) && c.of[pair] > 0 && c.circles[c.of[pair]-1].closed
}

// list returns the pairs that the component of a pair leads to, or nil if it has no
// list.
func (c *components) list(pair int32) []int32 {
	if c.listed == 0 || !c.circle(pair) {
		return nil
	}
	return c.circles[c.of[pair]-1].list
}

// keep makes a list of the pairs that the component of a pair leads to.
func (c *components) keep(pair int32, list []int32) {
	if c.listed+len(list) > maxKnown {
		for i := range c.circles {
			c.circles[i].list = nil
		}
		c.listed = 0
	}
	if len(list) <= maxKnown {
		c.circles[c.of[pair]-1].list = slices.Clone(list)
		c.listed += len(list)
	}
}

// explore finds the components of all pairs that a pair leads to, or sets gaveUp.
func (s *automaton) explore(begin int32) error {
	c := &s.parts
	if c.gaveUp || int(begin) < len(c.index) && c.index[begin] > 0 {
		return nil
	}
	count := int32(0)
	visit := func(pair int32) error {
		if _, err := s.after(pair); err != nil {
			return err
		}
		c.gaveUp = c.gaveUp || s.known[pair].from < 0
		for len(c.index) < s.pairs.N {
			c.index, c.low, c.of = append(c.index, 0), append(c.low, 0), append(c.of, 0)
		}
		count++
		c.index[pair], c.low[pair] = count, count
		c.stack, c.calls = append(c.stack, pair), append(c.calls, call{pair: pair})
		return nil
	}
	if err := visit(begin); err != nil {
		return err
	}
	for len(c.calls) > 0 && !c.gaveUp {
		top := &c.calls[len(c.calls)-1]
		pair, known := top.pair, s.known[top.pair]
		if top.done < known.to-known.from {
			other := s.next[known.from+top.done]
			top.done++
			switch {
			case c.index[other] == 0:
				if err := visit(other); err != nil {
					return err
				}
			case c.of[other] == 0: // it is on the stack
				c.low[pair] = min(c.low[pair], c.index[other])
			}
			continue
		}
		c.calls = c.calls[:len(c.calls)-1]
		if len(c.calls) > 0 {
			caller := c.calls[len(c.calls)-1].pair
			c.low[caller] = min(c.low[caller], c.low[pair])
		}
		if c.low[pair] == c.index[pair] {
			s.close(pair)
		}
	}
	return s.account()
}

// close makes a component of the pairs on the stack from a pair on.
func (s *automaton) close(first int32) {
	c, known := &s.parts, s.known[first]
	i := len(c.stack) - 1
	for c.stack[i] != first {
		i--
	}
	closed := i < len(c.stack)-1 || slices.Contains(s.next[known.from:known.to], first)
	c.circles = append(c.circles, circle{closed: closed})
	for _, pair := range c.stack[i:] {
		c.of[pair] = int32(len(c.circles))
	}
	c.stack = c.stack[:i]
}
