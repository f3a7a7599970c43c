// Package statistics counts and estimates the triples of a source.Reader for the planner.
package statistics

import (
	"cmp"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/source"
)

// Counts implements plan.Statistics for a dataset. It remembers results for one query.
type Counts struct {
	ds          source.Reader
	graphs      []source.ID
	ids         map[rdf.Term]source.ID
	counts      map[countKey]int64
	distinct    map[countKey][2]float64
	tripleTerms map[countKey]algebra.TripleTermCounts
	census      *Census // may be nil
}

type countKey struct {
	graph   algebra.Node
	s, p, o rdf.Term
}

// Of returns the counts of a dataset as FROM and FROM NAMED restrict it.
func Of(ds source.Reader, from, named []rdf.Term) (*Counts, error) {
	ds, err := source.Restrict(ds, from, named)
	if err != nil {
		return nil, err
	}
	return &Counts{ds: ds, graphs: ds.Graphs(), ids: map[rdf.Term]source.ID{}, counts: map[countKey]int64{}, distinct: map[countKey][2]float64{}, census: censusOf(ds)}, nil
}

// Exact returns counts of the same dataset that do not use its Census.
func (c *Counts) Exact() *Counts {
	return &Counts{ds: c.ds, graphs: c.graphs, ids: c.ids, counts: map[countKey]int64{}, distinct: map[countKey][2]float64{}}
}

// Count implements plan.Statistics. If it counts only some graphs, and the dataset has the terms, it returns at least 1.
func (c *Counts) Count(graph algebra.Node, s, p, o rdf.Term) (int64, error) {
	key := countKey{graph, s, p, o}
	if n, ok := c.counts[key]; ok {
		return n, nil
	}
	var sum int64
	graphs, scale, err := c.sample(graph)
	if err != nil {
		return 0, err
	}
	var ids [3]source.ID
	for i, t := range []rdf.Term{s, p, o} {
		if ids[i], err = c.id(t); err != nil {
			return 0, err
		}
		if ids[i] == source.Unknown {
			graphs, scale = nil, 1
		}
	}
	for _, g := range graphs {
		n, err := c.count(g, ids[0], ids[1], ids[2])
		if err != nil {
			return 0, err
		}
		sum += n
	}
	sum = int64(float64(sum) * scale)
	if scale > 1 {
		sum = max(1, sum) // a graph that was not counted may have one
	}
	c.counts[key] = sum
	return sum, nil
}

// count returns the dataset's count. An object with many triples may be in the census, which is valid as long as its
// predicate has as many triples as before.
func (c *Counts) count(g, s, p, o source.ID) (int64, error) {
	if c.census == nil || s != 0 || p == 0 || o == 0 {
		return c.ds.Count(g, s, p, o)
	}
	all, err := c.ds.Count(g, 0, p, 0)
	if err != nil {
		return 0, err
	}
	k := censusKey{g, p, o}
	if known, ok := c.census.get(k, all); ok {
		return known.triples, nil
	}
	n, err := c.ds.Count(g, s, p, o)
	if err == nil && n >= censusWorth {
		c.census.put(k, survey{predicate: all, triples: n})
	}
	return n, err
}

// Within implements plan.Statistics.
func (c *Counts) Within(graph algebra.Node, p rdf.Term, bounds []algebra.Bound) (int64, error) {
	ranges, err := source.RangesOf(c.ds, bounds)
	if err != nil {
		return 0, err
	}
	return c.inRanges(graph, p, ranges)
}

// Unordered implements plan.Statistics.
func (c *Counts) Unordered(graph algebra.Node, p rdf.Term, bounds []algebra.Bound) (int64, error) {
	ranges, err := source.RangesOf(c.ds, bounds)
	if err != nil {
		return 0, err
	}
	_, others := source.SplitOrdered(c.ds, ranges)
	return c.inRanges(graph, p, others)
}

// OnlyNodes implements plan.Statistics. It returns false also if an answer would take long,
// or if a node has an id outside the dataset's range of nodes.
func (c *Counts) OnlyNodes(graph algebra.Node, p rdf.Term) (bool, error) {
	graphs, scale, err := c.sample(graph)
	if err != nil {
		return false, err
	}
	if sampled := scale > 1; sampled { // the other graphs may have other objects
		return false, nil
	}
	id, err := c.id(p)
	if err != nil || id == source.Unknown {
		return err == nil, err
	}
	nodes := c.ds.Nodes()
	outside := []source.IDRange{ // ids that literals may have
		{First: source.Everything.First, Last: nodes.First - 1},
		{First: nodes.Last + 1, Last: source.Everything.Last},
	}
	for _, g := range graphs {
		scan := c.ds.Scan(g, source.POS)
		for _, ids := range outside {
			scan.Seek(source.Tuple{uint64(id), uint64(ids.First)}, source.Tuple{uint64(id), uint64(ids.Last), ^uint64(0)})
			if scan.Next() != nil || scan.Err() != nil {
				return false, scan.Err()
			}
		}
	}
	return true, nil
}

// maxRanges is the largest number of ranges for which inRanges asks a graph for an estimate.
const maxRanges = 64

// inRanges estimates how many triples with the predicate p have an object in ranges.
func (c *Counts) inRanges(graph algebra.Node, p rdf.Term, ranges []source.IDRange) (int64, error) {
	graphs, scale, err := c.sample(graph)
	if err != nil {
		return 0, err
	}
	id, err := c.id(p)
	if err != nil || id == source.Unknown {
		return 0, err
	}
	// A text index may return many ranges. Estimate a sample of them.
	step := 1 + len(ranges)/maxRanges
	sampled := (len(ranges) + step - 1) / step
	scale *= float64(len(ranges)) / float64(max(1, sampled))
	var sum int64
	for _, g := range graphs {
		for i := 0; i < len(ranges); i += step {
			ids := ranges[i]
			lo, hi := source.Tuple{uint64(id), uint64(ids.First)}, source.Tuple{uint64(id), uint64(ids.Last), ^uint64(0)} // with any subject
			n, err := c.ds.Estimate(g, source.POS, lo, hi)
			if err != nil {
				return 0, err
			}
			sum += n
		}
	}
	return int64(float64(sum) * scale), nil
}

// fewGraphs is the largest number of named graphs that are counted.
const fewGraphs = 8

// sample returns graphs to count in place of graph, and the factor to scale their counts
// by. It is above 1 if graph is a variable and only some graphs are counted. There is no
// graph if none of that name exists.
func (c *Counts) sample(graph algebra.Node) (graphs []source.ID, factor float64, err error) {
	switch {
	case graph == algebra.DefaultGraph:
		return []source.ID{0}, 1, nil
	case graph.IsVariable():
		graphs := c.graphs[:min(fewGraphs, len(c.graphs))]
		return graphs, float64(len(c.graphs)) / float64(max(1, len(graphs))), nil
	}
	id, err := c.id(graph.Term)
	if err != nil || id == source.Unknown {
		return nil, 1, err
	}
	return []source.ID{id}, 1, nil
}

// id returns the id of a term, 0 for the zero Term, and source.Unknown if the dataset does
// not have it.
func (c *Counts) id(t rdf.Term) (source.ID, error) {
	if t.IsZero() {
		return 0, nil
	}
	if id, ok := c.ids[t]; ok {
		return id, nil
	}
	id, err := c.ds.ID(t)
	if err != nil {
		return 0, err
	}
	id = cmp.Or(id, source.Unknown)
	c.ids[t] = id
	return id, nil
}

// samples is the most objects, and about the number of subjects, that estimates are based on.
const samples = 8

// Distinct implements plan.Statistics. It divides the number of triples by the average of
// a few subjects and objects. Of several graphs, it looks only at the first.
func (c *Counts) Distinct(graph algebra.Node, p rdf.Term) (subjects, objects float64, err error) {
	key := countKey{graph: graph, p: p}
	if d, ok := c.distinct[key]; ok {
		return d[0], d[1], nil
	}
	count, err := c.Count(graph, rdf.Term{}, p, rdf.Term{})
	if err != nil {
		return 0, 0, err
	}
	subjects, objects = float64(max(1, count)), float64(max(1, count))
	graphs, scale, err := c.sample(graph)
	if err != nil {
		return 0, 0, err
	}
	if len(graphs) > 0 && count > samples {
		perGraph := float64(count) / scale / float64(len(graphs))
		s, err := c.survey(graphs[0], p, count)
		if err != nil {
			return 0, 0, err
		}
		objects, subjects = max(1, perGraph/s.perObject), max(1, perGraph/s.perSubject)
		if s.objects > 0 {
			objects = s.objects
		}
	}
	c.distinct[key] = [2]float64{subjects, objects}
	return subjects, objects, nil
}

// survey returns the statistics of a predicate with count triples, from the census if it
// has them.
func (c *Counts) survey(g source.ID, p rdf.Term, count int64) (s survey, err error) {
	id, err := c.id(p)
	if err != nil {
		return s, err
	}
	k := censusKey{graph: g, predicate: id}
	if s, ok := c.census.get(k, count); ok {
		return s, nil
	}
	s.predicate = count
	if s.perObject, s.objects, err = c.perObject(g, id); err != nil {
		return s, err
	}
	if s.perSubject, err = c.perSubject(g, id); err == nil {
		c.census.put(k, s)
	}
	return s, err
}

// perObject returns the average number of triples of the first objects in the index, at least
// 1, and the number of objects if it is below samples, otherwise 0. If id, the predicate, is
// 0, all triples count.
func (c *Counts) perObject(g, id source.ID) (average, total float64, err error) {
	order, key, at := source.POS, source.Tuple{uint64(id)}, 1
	if id == 0 {
		order, at = source.OSP, 0
	}
	scan := c.ds.Scan(g, order)
	lo, hi := source.Prefix(key, at)
	var sum, n float64
	for ; n < samples; n++ {
		scan.Seek(lo, hi)
		tuples := scan.Next()
		if tuples == nil {
			return max(1, sum/max(1, n)), n, scan.Err()
		}
		count, err := c.ds.Count(g, 0, id, source.ID(tuples[0][at]))
		if err != nil {
			return 0, 0, err
		}
		sum += float64(count)
		if lo[at] = tuples[0][at] + 1; lo[at] == 0 {
			break // no id is greater
		}
	}
	return sum / n, 0, nil
}

// perSubject estimates how many triples with the predicate id, or with any if id is 0, a subject
// has: the average, at least 1, over subjects spread over the first batch of the index. A subject may
// count more than once.
func (c *Counts) perSubject(g, id source.ID) (average float64, err error) {
	// fixed is how many ids of key the tuples begin with; subject is its place in them.
	order, key, fixed, subject := source.POS, source.Tuple{uint64(id)}, 1, 2
	if id == 0 {
		order, fixed, subject = source.SPO, 0, 0
	}
	scan := c.ds.Scan(g, order)
	lo, hi := source.Prefix(key, fixed)
	scan.Seek(lo, hi)
	tuples := scan.Next()
	if tuples == nil {
		return 1, scan.Err()
	}
	var sum, seen float64
	step := max(1, len(tuples)/samples)
	for i := 0; i < len(tuples); i += step {
		count, err := c.ds.Count(g, source.ID(tuples[i][subject]), id, 0)
		if err != nil {
			return 0, err
		}
		sum += float64(count)
		seen++
	}
	return max(1, sum/seen), nil
}
