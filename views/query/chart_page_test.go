package query

import (
	"testing"
	"time"

	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
)

func TestChartsOfAnswers(t *testing.T) {
	at := func(minutes int) time.Time { return viewstest.Now.Add(time.Duration(minutes) * time.Minute) }
	span := views.Period{From: at(0), To: at(30)}
	kinds := []views.Tab{{Name: "Line", Href: "/query?as=line", Current: true}, {Name: "Bar", Href: "/query?as=bar", Current: false}}
	viewstest.Golden(t, "query-chart-bar", queryChart(&QueryChart{Kind: "bar", X: "who", Y: "n", Cut: 60, Bars: []ChartBar{{"<b>ari", "/kg-graph", "http://e/ari", 3}, {"tiago", "", "http://e/tiago", -1}}}))
	viewstest.Golden(t, "query-chart-line", queryChart(&QueryChart{Kind: "line", Kinds: kinds, X: "at", Y: "n", Span: span, Series: []ChartSeries{
		{"ari", "http://e/ari", []ChartPoint{{At: at(0), Y: 0.1, Title: "<i>"}, {At: at(30), Y: 0.35, Href: "/kg-graph"}}, false}, {"tiago", "http://e/tiago", []ChartPoint{{At: at(15), Y: 0.2}}, false}}}))
	viewstest.Golden(t, "query-chart-scatter", queryChart(&QueryChart{Kind: "scatter", X: "longitude", Y: "latitude", Series: []ChartSeries{{"latitude", "latitude", []ChartPoint{{X: 4.8, Y: 45.7}, {X: 5, Y: 46}}, false}}}))
	viewstest.Golden(t, "query-chart-timeline", queryChart(&QueryChart{Kind: "timeline", X: "at", Span: span, Lanes: []ChartLane{{"ari", "http://e/ari", []ChartMark{{From: at(0), To: at(10), Title: "a", Href: "/kg-graph"}, {From: at(30), To: at(30)}}}}}))
}

func TestAxesHaveRoundNumbers(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   string
	}{
		{nil, "0.0 0.2 0.4 0.6 0.8 1.0"}, {[]float64{5, 5}, "4.0 4.5 5.0 5.5 6.0"}, {[]float64{0, 36}, "0 10 20 30 40"}, {[]float64{-1, 3}, "-1 0 1 2 3"},
		{[]float64{0.1, 0.35}, "0.10 0.15 0.20 0.25 0.30 0.35"}, {[]float64{10, 22}, "10.0 12.5 15.0 17.5 20.0 22.5"}, {[]float64{0, 1.2}, "0.00 0.25 0.50 0.75 1.00 1.25"}, {[]float64{1e9, 3e9}, "1000000000 1500000000 2000000000 2500000000 3000000000"},
	} {
		e := extentOf(func(yield func(float64)) {
			for _, v := range c.values {
				yield(v)
			}
		})
		got := ""
		for i, v := range e.ticks() {
			if i > 0 {
				got += " "
			}
			got += e.numberText(v)
		}
		if got != c.want {
			t.Errorf("%v: %s, want %s", c.values, got, c.want)
		}
	}
}
