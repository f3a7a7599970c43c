package reports

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/a-h/templ"
)

// reportBlock is a chart or table of a section. A block with a name can be shown alone.
type reportBlock struct {
	name string
	body templ.Component
}

func (s ReportSection) blocks() []reportBlock {
	var out []reportBlock
	add := func(has bool, name string, body func() templ.Component) {
		if has {
			out = append(out, reportBlock{name, body()})
		}
	}
	add(len(s.Leads) > 0, "", func() templ.Component { return reportLeads(s.Leads) })
	add(len(s.Figures) > 0, "", func() templ.Component { return reportFigures(s.Figures) })
	hours := s.Hours != nil && len(s.Hours.Bars) > 0
	add(hours, "times", func() templ.Component { return hourChart(s.Hours) })
	add(hours, "week", func() templ.Component { return weekChart(s.Hours) })
	for i, t := range s.Threads[:min(len(s.Threads), openThreads)] {
		add(true, "talk-"+strconv.Itoa(i+1), func() templ.Component { return thread(t) })
	}
	if len(s.Threads) > openThreads {
		rest := s.Threads[openThreads:]
		add(true, "talks", func() templ.Component { return moreThreads(rest) })
	}
	tables := s.Tables
	if len(s.Emotions) > 0 && len(tables) > 0 { // the table of the strongest says more than the charts
		add(true, tables[0].Name, func() templ.Component { return reportTable(s, s.Tables[0]) })
		tables = tables[1:]
	}
	add(len(s.Emotions) > 0, "strength", func() templ.Component { return emotionCharts(s) })
	add(len(s.Emotions) == 0 && len(s.Spread) > 0, "spread", func() templ.Component { return spreadChart(s) })
	add(len(s.Lanes) > 0, "timeline", func() templ.Component { return laneChart(s) })
	add(s.Newest, "", newestOnly)
	for _, t := range tables {
		add(true, t.Name, func() templ.Component { return reportTable(s, t) })
	}
	add(len(s.Gaps) > 0, "", func() templ.Component { return sessionLinks(s) })
	return out
}

// HasBlock reports whether a section has a block with a name.
func (s ReportSection) HasBlock(name string) bool {
	for _, b := range s.blocks() {
		if b.name == name && name != "" {
			return true
		}
	}
	return false
}

// shown returns the blocks to show: all, or one alone.
func (s ReportSection) shown() []reportBlock {
	blocks := s.blocks()
	if s.Only != "" {
		blocks = slices.DeleteFunc(blocks, func(b reportBlock) bool { return b.name != s.Only })
	}
	return blocks
}

// blockPath returns the address of a block alone.
func (s ReportSection) blockPath(name string) string { return s.Load + "&block=" + name }

// rows returns the rows of a table that a section shows: all if it shows only this table, none
// if the table is folded, and otherwise the first ones.
func (s ReportSection) rows(t ReportTable) [][]ReportCell {
	switch {
	case s.Only == t.Name:
		return t.Rows
	case t.Folded:
		return nil
	}
	return t.Rows[:min(len(t.Rows), tallRows)]
}

// narrow reports whether a table fits into half the page, judging by its text.
func (t ReportTable) narrow() bool {
	letters := 0
	for i, c := range t.Columns {
		most := utf8.RuneCountInString(c.Name)
		for _, row := range t.Rows {
			n := utf8.RuneCountInString(row[i].Text) + len(row[i].Badge)
			if row[i].Share > 0 {
				n += 10 // for its bar
			}
			most = max(most, n)
		}
		letters += most + 4 // for its margins
	}
	return letters < 76 // so many letters are as wide as half the page
}

// cellAttributes returns the classes of a cell, and the name of its column.
func (t ReportTable) cellAttributes(column int, c ReportCell) templ.Attributes {
	class := ""
	for _, k := range []struct {
		name string
		on   bool
	}{{"num", t.Columns[column].Num}, {"unbroken", c.Unbroken}, {"none", c.Text == ""}} {
		if k.on {
			class += " " + k.name
		}
	}
	out := templ.Attributes{}
	if class != "" {
		out["class"] = class[1:]
	}
	if len(t.Columns) > 2 { // on a phone, names each value of a card
		out["data-of"] = t.Columns[column].Name
	}
	return out
}
