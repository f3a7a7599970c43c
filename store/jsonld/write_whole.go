package jsonld

import (
	"maps"
	"slices"

	"github.com/segraph/segraph/store/rdf"
)

// dataset collects all quads of a document (JSON-LD 1.1 API, section 8.4.2).
type dataset struct {
	options WriteOptions
	graphs  map[string]*graph // by name; "" is the default graph
	once    map[string]*usage // by blank node that is an object: its only use, or nil if there are more
	seen    map[rdf.Quad]bool
}

// graph is a graph's nodes by id.
type graph struct {
	nodes    map[string]*node
	compound []string // nodes with rdf:direction
}

// usage is a reference to a node, as the value of a property.
type usage struct {
	graph    *graph
	node     *node
	property string
	value    *value
}

func newDataset(o WriteOptions) *dataset {
	return &dataset{options: o, graphs: map[string]*graph{"": {nodes: map[string]*node{}}}, once: map[string]*usage{}, seen: map[rdf.Quad]bool{}}
}

func (g *graph) node(id string) *node {
	n := g.nodes[id]
	if n == nil {
		n = &node{id: id}
		g.nodes[id] = n
	}
	return n
}

// add adds a quad (step 5).
func (d *dataset) add(q rdf.Quad) error {
	if d.seen[q] {
		return nil
	}
	d.seen[q] = true
	g := d.graphs[""]
	if !q.G.IsZero() {
		name := nodeID(q.G)
		holder := g.node(name)
		if holder.content == nil {
			holder.content = &graph{nodes: map[string]*node{}}
			d.graphs[name] = holder.content
		}
		g = holder.content
	}
	n := g.node(nodeID(q.S))
	if d.options.Direction == CompoundLiteral && q.P.Value() == rdf.RDF+"direction" {
		g.compound = append(g.compound, n.id)
	}
	name, v, err := d.options.pair(q)
	if err != nil {
		return err
	}
	n.add(name, v)
	if q.O.IsLiteral() {
		return nil
	}
	object := g.node(nodeID(q.O))
	ref, _ := v.(*value) // nil for @type
	use := usage{g, n, name, ref}
	if _, used := d.once[object.id]; used || ref == nil {
		d.once[object.id] = nil
	} else if q.O.IsBlank() {
		d.once[object.id] = &use
	}
	if object.id == rdf.RDFNil && ref != nil {
		object.usages = append(object.usages, use)
	}
	return nil
}

// referrer returns the only reference to a blank node, if the node can be left out. The
// reference must be in the node's own graph, and the node must not name a graph.
// Otherwise it returns nil.
func (d *dataset) referrer(g *graph, id string) *usage {
	use := d.once[id]
	if use == nil || use.graph != g || d.graphs[id] != nil {
		return nil
	}
	return use
}

// nodes returns the nodes of the default graph, which contain those of the other
// graphs.
func (d *dataset) nodes() []*node {
	for _, g := range d.graphs {
		d.joinDirections(g)
		d.joinLists(g)
	}
	return d.graphs[""].written()
}

// joinDirections replaces blank nodes that represent strings with a direction by these
// strings (step 6.1).
func (d *dataset) joinDirections(g *graph) {
	for _, id := range g.compound {
		use, n := d.referrer(g, id), g.nodes[id]
		if use == nil || n == nil {
			continue
		}
		if v, ok := n.directed(); ok {
			*use.value = v
			delete(g.nodes, id)
		}
	}
}

// directed returns the string with a direction that a node represents.
func (n *node) directed() (v value, ok bool) {
	for _, p := range n.properties {
		if len(p.values) != 1 {
			return v, false
		}
		part, _ := p.values[0].(*value)
		if part == nil || part.Type != "" || part.Language != "" {
			return v, false
		}
		text, isText := part.Value.(string)
		switch p.name {
		case rdf.RDF + "value":
			v.Value = text
		case rdf.RDF + "language":
			v.Language = text
			isText = rdf.IsLanguageTag(text)
		case rdf.RDF + "direction":
			v.Direction = text
			isText = text == "ltr" || text == "rtl"
		default:
			return v, false
		}
		if !isText {
			return v, false
		}
	}
	return v, v.Value != nil && v.Direction != ""
}

// joinLists replaces chains of blank nodes that end in rdf:nil by lists (steps 6.2 to 6.4).
func (d *dataset) joinLists(g *graph) {
	end := g.nodes[rdf.RDFNil]
	if end == nil {
		return
	}
	for _, use := range end.usages {
		items := []*value{}
		for use.property == rdf.RDFRest {
			first, above := use.node.listItem(), d.referrer(g, use.node.id)
			if first == nil || above == nil {
				break
			}
			items = append(items, first)
			delete(g.nodes, use.node.id)
			use = *above
		}
		slices.Reverse(items)
		*use.value = value{List: &items}
	}
}

// listItem returns the item of a well-formed list cell. It returns nil for other nodes.
func (n *node) listItem() *value {
	var first *value
	rest := false
	for _, p := range n.properties {
		switch {
		case len(p.values) != 1:
			return nil
		case p.name == rdf.RDFFirst:
			first = p.values[0].(*value)
		case p.name == rdf.RDFRest:
			rest = true
		case p.name != "@type" || p.values[0] != rdf.RDF+"List":
			return nil
		}
	}
	if !rest {
		return nil
	}
	return first
}

// written returns the nodes that have content, sorted by id.
func (g *graph) written() []*node {
	var out []*node
	for _, id := range slices.Sorted(maps.Keys(g.nodes)) {
		if n := g.nodes[id]; len(n.properties) > 0 || n.content != nil {
			out = append(out, n)
		}
	}
	return out
}
