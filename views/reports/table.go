package reports

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/results"
	"github.com/segraph/segraph/views"
)

// getReportTable returns a table as a file, with all its rows. It refuses a table with too many.
func (u *handlers) getReportTable(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	asked, err := u.reportOf(r, v, fileRows)
	if err != nil {
		return err
	}
	asked.Zone = time.UTC
	given := r.URL.Query()
	if _, ok := Title(given.Get("section")); !ok {
		return front.NewProblem(http.StatusNotFound, "there is no section %q", given.Get("section"))
	}
	s, err := asked.Section(r.Context(), given.Get("section"))
	if err != nil {
		return err
	}
	for _, t := range s.Tables {
		if t.Name != given.Get("table") {
			continue
		}
		if t.More {
			return front.NewProblem(http.StatusUnprocessableEntity, "this table is too long for a file; choose a shorter range")
		}
		h := w.Header()
		h.Set("Content-Type", "text/csv; charset=utf-8")
		h.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s-%s.csv"`, t.Name, v.Now.UTC().Format("20060102-150405")))
		return writeTable(csv.NewWriter(w), t)
	}
	return front.NewProblem(http.StatusNotFound, "there is no table %q", given.Get("table"))
}

// getReportRows redirects to the query that a link of the reports names.
func (u *handlers) getReportRows(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	asked, err := u.reportOf(r, v, mostRows)
	if err != nil {
		return err
	}
	given := r.URL.Query()
	name := given.Get("q")
	asked.Zone, _ = views.Zone(given.Get("clock"))
	for _, other := range []string{"q", "from", "to", "clock"} {
		given.Del(other)
	}
	query, err := asked.RowsQuery(name, given)
	if err != nil {
		return front.NewProblem(http.StatusUnprocessableEntity, "%s", err.Error())
	}
	u.Redirect(w, r, "/query?"+url.Values{"query": {query}}.Encode())
	return nil
}

// writeTable writes a table as CSV. After a column whose cells show names it writes a
// column with the IRIs. Cells that a spreadsheet would evaluate get a leading '.
func writeTable(out *csv.Writer, t ReportTable) error {
	double := make([]bool, len(t.Columns)) // columns that show names
	for _, row := range t.Rows {
		for i, c := range row {
			double[i] = double[i] || c.Text != c.Value && rdf.IsIRI(c.Value) && c.Href != ""
		}
	}
	write := func(cell func(i int) (string, string)) error {
		var record []string
		for i := range t.Columns {
			shown, value := cell(i)
			if double[i] {
				record = append(record, results.Harmless(shown))
			}
			record = append(record, results.Harmless(value))
		}
		return out.Write(record)
	}
	if err := write(func(i int) (string, string) {
		if name := t.Columns[i].Name; double[i] {
			return name, name + " IRI"
		} else {
			return name, name
		}
	}); err != nil {
		return fmt.Errorf("write a table: %w", err)
	}
	for _, row := range t.Rows {
		if err := write(func(i int) (string, string) { return row[i].Text, row[i].Value }); err != nil {
			return fmt.Errorf("write a table: %w", err)
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("write a table: %w", err)
	}
	return nil
}
