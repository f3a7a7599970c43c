package service

import (
	"bytes"
	"context"
	"strconv"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/format"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/turtle"
)

// Vocabularies of SPARQL 1.2 Service Description.
const (
	sd       = "http://www.w3.org/ns/sparql-service-description#"
	sparqlNS = "http://www.w3.org/ns/sparql#"
)

// resultFormats are the formats of rows in service descriptions.
var resultFormats = []string{"SPARQL_Results_JSON", "SPARQL_Results_XML", "SPARQL_Results_CSV", "SPARQL_Results_TSV"}

// Description returns the description of the endpoint at an address in format f (SPARQL 1.2
// Service Description): the language and its versions, the formats and the graphs. The
// service has none of the features of section 3.5. Clients of SPARQL 1.1 look for
// sd:SPARQL11Query, and those of 1.2 for sd:SPARQLQuery and its versions.
func (s *Service) Description(ctx context.Context, endpoint string, f turtle.Format) ([]byte, error) {
	graphs, err := s.namedGraphs(ctx)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	d := describing{out: format.NewWriter(&b, f, []turtle.Prefix{{Label: "sd", Namespace: sd}, {Label: "sparql", Namespace: sparqlNS}})}
	service, dataset := rdf.NewBlank("service"), rdf.NewBlank("dataset")
	d.node(service, "Service")
	d.say(service, "endpoint", rdf.NewIRI(endpoint))
	d.say(service, "supportedLanguage", rdf.NewIRI(sd+"SPARQLQuery"))
	d.say(service, "supportedLanguage", rdf.NewIRI(sd+"SPARQL11Query"))
	for _, v := range s.versions() {
		d.say(service, "supportedVersion", rdf.NewIRI(sparqlNS+"version-"+v))
	}
	d.say(service, "defaultEntailmentRegime", rdf.NewIRI("http://www.w3.org/ns/entailment/Simple"))
	for _, f := range Formats {
		d.say(service, "resultFormat", rdf.NewIRI(f.IRI))
	}
	for _, name := range resultFormats {
		d.say(service, "resultFormat", rdf.NewIRI(formatNS+name))
	}
	for _, f := range Formats {
		if f.Published {
			d.say(service, "inputFormat", rdf.NewIRI(f.IRI))
		}
	}
	d.say(service, "defaultDataset", dataset)
	published := rdf.NewBlank("published")
	d.node(dataset, "Dataset")
	d.say(dataset, "defaultGraph", published)
	for i := range graphs {
		d.say(dataset, "namedGraph", rdf.NewBlank("named"+strconv.Itoa(i)))
	}
	d.node(published, "Graph")
	for i, name := range graphs {
		named, graph := rdf.NewBlank("named"+strconv.Itoa(i)), rdf.NewBlank("graph"+strconv.Itoa(i))
		d.node(named, "NamedGraph")
		d.say(named, "name", name)
		d.say(named, "graph", graph)
		d.node(graph, "Graph")
	}
	if d.err == nil {
		d.err = d.out.Close()
	}
	return b.Bytes(), d.err
}

// versions returns the versions of SPARQL that queries may use. A graph store that answers
// them knows only the lower two.
func (s *Service) versions() []string {
	if s.config.StoreName != "cayley" {
		return []string{"1.1", "1.0"}
	}
	return []string{"1.2", "1.2-basic", "1.1", "1.0"}
}

// describing writes triples of a description until the first error.
type describing struct {
	out format.Writer
	err error
}

func (d *describing) node(node rdf.Term, class string) {
	d.write(node, rdf.RDFType, rdf.NewIRI(sd+class))
}

func (d *describing) say(node rdf.Term, property string, value rdf.Term) {
	d.write(node, sd+property, value)
}

func (d *describing) write(subject rdf.Term, predicate string, object rdf.Term) {
	if d.err == nil {
		d.err = d.out.Write(rdf.Quad{S: subject, P: rdf.NewIRI(predicate), O: object})
	}
}

// maxNamed is how many named graphs a description lists.
const maxNamed = 1000

// namedGraphs returns the names of the stored graphs. The graph of contexts exists even
// if it is empty.
func (s *Service) namedGraphs(ctx context.Context) ([]rdf.Term, error) {
	q, err := sparql.Prepare(ctx, "SELECT DISTINCT ?g { GRAPH ?g {} } LIMIT "+strconv.Itoa(maxNamed), sparql.Options{})
	if err != nil {
		return nil, err
	}
	contexts := rdf.NewIRI(store.ContextsGraph)
	list := names{contexts}
	err = s.Query(ctx, q, &list, func(rdf.Triple) error { return errForm })
	return list, err
}

// names collects the IRIs of a column, each once.
type names []rdf.Term

func (*names) Head([]string) error { return nil }
func (*names) Boolean(bool) error  { return errForm }

func (n *names) Row(terms []rdf.Term) error {
	if name := terms[0]; name.IsIRI() && name != (*n)[0] {
		*n = append(*n, name.Clone())
	}
	return nil
}

var _ sparql.Answer = (*names)(nil)
