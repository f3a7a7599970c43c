package reports

import (
	"net/http"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

// getClasses lists the classes that reports do not know. With a class in the address it
// offers to count it.
func (u *handlers) getClasses(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	asked, err := u.newReport(r, v, mostRows)
	if err != nil {
		return err
	}
	counted, err := u.Service.CountedClasses()
	if err != nil {
		return err
	}
	by := map[string]service.CountedClass{}
	for _, c := range counted {
		by[c.Class] = c
	}
	m := Classes{}
	if iri := r.URL.Query().Get("class"); iri != "" {
		if m.Form, err = u.classForm(r, asked, iri, by[iri]); err != nil {
			return err
		}
	}
	list, err := asked.OtherClasses(r.Context())
	if err != nil {
		return err
	}
	for _, c := range list[:min(len(list), mostRows/2)] {
		row := Class{IRI: c.Class.Value(), Things: c.Things}
		if k, ok := by[row.IRI]; ok {
			row.Time, row.Robot, row.By, row.At = k.Time, k.Robot, k.By, k.At
		}
		m.List = append(m.List, row)
	}
	return u.Show(w, r, http.StatusOK, ClassesPage(u.Frame(r, v, "Classes"), m))
}

// classForm returns the form that counts a class. now is how reports count the class, or the
// zero value if they do not.
func (u *handlers) classForm(r *http.Request, asked *Report, iri string, now service.CountedClass) (*ClassForm, error) {
	if !rdf.IsIRI(iri) {
		return nil, front.NewProblem(http.StatusUnprocessableEntity, "%q is not the IRI of a class", iri)
	}
	times, robots, of, err := asked.Choices(r.Context(), rdf.NewIRI(iri))
	if err != nil {
		return nil, err
	}
	form := &ClassForm{IRI: iri, Of: of, Counts: now.Class != ""}
	choices := func(list []Choice, chosen string) (out []ClassChoice) {
		for i, c := range list {
			suits := !form.Counts && i == 0 // the first suits a new class best
			out = append(out, ClassChoice{IRI: c.Property, Has: c.Has, Chosen: c.Property == chosen || suits})
		}
		return out
	}
	form.Times, form.Robots = choices(times, now.Time), choices(robots, now.Robot)
	return form, nil
}

// postClass makes reports count the instances of a class as activities, or stop counting
// them.
func (u *handlers) postClass(w http.ResponseWriter, r *http.Request, v *views.Visit, form *front.Form) error {
	var err error
	c := service.CountedClass{Class: form.Value("class"), Time: form.Value("time"), Robot: form.Value("robot")}
	if c.Class == vocabulary.SegbLoggedActivity {
		return front.NewProblem(http.StatusConflict, "reports count this class already")
	}
	if form.Value("do") == "stop" {
		err = u.Service.UncountClass(r.Context(), c.Class)
	} else {
		err = u.Service.CountClass(r.Context(), v.Actor, c)
	}
	if err != nil {
		return err
	}
	u.Log.InfoContext(r.Context(), "the classes that reports count have changed", "class", c.Class, "counts", form.Value("do") != "stop")
	u.Redirect(w, r, "/classes")
	return nil
}
