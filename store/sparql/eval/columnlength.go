package eval

import (
	"cmp"
	"slices"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/value"
)

// lengths compiles a STRLEN. If no other part of the expressions reads the texts of its
// variable, the dataset counts their characters, and no text is kept.
func (c *columns) lengths(x *algebra.Call) (columnOf, error) {
	out := &value.Column{}
	if v, ok := x.Args[0].(*algebra.Var); ok && c.r.terms.columnar != nil && !c.reads(v.Slot) {
		l := &lengths{c: c, slot: v.Slot}
		return func(rows []int32) *value.Column {
			out.Reset(c.n)
			l.set(out, rows)
			return out
		}, nil
	}
	v, err := c.value(x.Args[0], true)
	return func(rows []int32) *value.Column {
		texts := v(rows)
		out.Reset(c.n)
		value.Lengths(out, texts, rows)
		return out
	}, err
}

// reads reports whether some leaf reads the terms of a variable.
func (c *columns) reads(slot algebra.Slot) bool {
	return slices.ContainsFunc(c.leaves, func(l *leaf) bool { return l.slot == slot && l.exact })
}

// lengths counts the characters of the strings that are the values of a variable.
type lengths struct {
	c      *columns
	slot   algebra.Slot
	read   []toRead
	counts []int
}

func (l *lengths) set(out *value.Column, rows []int32) {
	l.counts = sized(l.c, l.counts)
	terms, read, inOrder := l.c.r.terms, l.read[:0], true
	for _, row := range rows {
		switch id := l.c.row(row)[l.slot]; {
		case id == 0:
			out.SetLength(row, -1)
		case id >= LocalFirst:
			out.Set(row, value.StrLen(terms.exact(id)))
		default:
			inOrder = inOrder && (len(read) == 0 || read[len(read)-1].id <= id)
			read = append(read, toRead{id, row})
		}
	}
	if l.read = read; !inOrder {
		slices.SortFunc(read, func(a, b toRead) int { return cmp.Compare(a.id, b.id) })
	}
	ids := l.c.ids[:0]
	for i := range read {
		ids = append(ids, read[i].id)
	}
	l.c.ids = ids
	if err := l.count(ids); err != nil {
		l.c.r.budget.Fail(err)
	}
	for i := range read {
		out.SetLength(read[i].k, l.counts[i])
	}
}

// count sets counts to the lengths of the texts with the given ids. It checks the
// budget after every allHeld bytes of text.
func (l *lengths) count(ids []ID) error {
	for counts := l.counts; len(ids) > 0; {
		n, err := l.c.r.terms.columnar.Lengths(ids, counts, allHeld)
		if err == nil {
			err = l.c.r.budget.Check()
		}
		if err != nil {
			return err
		}
		ids, counts = ids[n:], counts[n:]
	}
	return nil
}
