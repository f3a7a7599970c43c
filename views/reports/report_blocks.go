package reports

import (
	"unicode/utf8"

	"github.com/a-h/templ"
)

// blocks returns the charts and tables of a section.
func (s ReportSection) blocks() (out []templ.Component) {
	add := func(has bool, body templ.Component) {
		if has {
			out = append(out, body)
		}
	}
	add(len(s.Leads) > 0, reportLeads(s.Leads))
	add(len(s.Figures) > 0, reportFigures(s.Figures))
	add(s.Hours != nil && len(s.Hours.Bars) > 0, hourChart(s.Hours))
	for _, t := range s.Threads[:min(len(s.Threads), openThreads)] {
		add(true, thread(t))
	}
	add(len(s.Threads) > openThreads, moreThreads(s.Threads))
	tables := s.Tables
	if len(s.Emotions) > 0 && len(tables) > 0 { // the table of the strongest says more than the charts
		add(true, reportTable(s.Name, tables[0]))
		tables = tables[1:]
	}
	add(len(s.Emotions) > 0, emotionCharts(s))
	add(len(s.Emotions) == 0 && len(s.Spread) > 0, spreadChart(s))
	add(len(s.Lanes) > 0, laneChart(s))
	add(s.Newest, newestOnly())
	for _, t := range tables {
		add(true, reportTable(s.Name, t))
	}
	add(len(s.Gaps) > 0, sessionLinks(s))
	return out
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
