package engine

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/orders"
)

// The bucket "graphs" holds one bucket for each graph, named by the graph's id. It
// contains:
//
//	spo, pos, osp  the indexes, each of all triples of the graph
//	counts         predicate -> number of triples; the zero id has the total
//	parts          number -> a bucket with indexes and counts of triples that are not in
//	               the graph's own yet; see part.go
//	others         buckets of extensions; see GraphPath
var (
	graphsName   = []byte("graphs")
	dictName     = []byte("dict")
	prefixesName = []byte("prefixes") // namespace -> order of publication, label
	metaName     = []byte("meta")     // owned by package file; it also holds the revision
	revisionKey  = []byte("revision")

	countsName = []byte("counts")
	indexNames = func() (names [orders.Count][]byte) {
		for _, o := range orders.All {
			names[o] = []byte(o.String())
		}
		return names
	}()
)

// defaultGraph is the id of the published graph.
const defaultGraph = dict.ID(0)

// Order is one of the indexes, as defined in package orders.
type Order = orders.Order

// The orders that have names.
const (
	SPO = orders.SPO
	POS = orders.POS
	OSP = orders.OSP
)

// GraphPath returns the path of an extension's bucket inside a graph's bucket. It is
// removed with the graph.
func GraphPath(g dict.ID, name ...string) []string {
	return append([]string{string(graphsName), string(idKey(g))}, name...)
}

func idKey(id dict.ID) []byte { return binary.BigEndian.AppendUint64(nil, uint64(id)) }

// indexed holds the buckets of a graph or of a part of one.
type indexed struct {
	indexes [orders.Count]*bolt.Bucket
	counts  *bolt.Bucket
}

// graphBuckets holds the buckets of a graph, for writing.
type graphBuckets struct {
	indexed
	parts []*indexed
}

// openIndexed opens the indexes and counts in bucket b, and creates those that are
// missing.
func openIndexed(b *bolt.Bucket) (out indexed, err error) {
	for i, name := range indexNames {
		if out.indexes[i], err = b.CreateBucketIfNotExists(name); err != nil {
			return out, fmt.Errorf("opening an index: %w", err)
		}
		// Logs insert in order at many positions, so a full page seldom changes again.
		out.indexes[i].FillPercent = fillPercent
	}
	if out.counts, err = b.CreateBucketIfNotExists(countsName); err != nil {
		return out, fmt.Errorf("opening the counts: %w", err)
	}
	return out, nil
}

// openGraph opens the buckets of a graph for writing, and makes them if needed.
func openGraph(tx *bolt.Tx, g dict.ID) (*graphBuckets, error) {
	graphs, err := tx.CreateBucketIfNotExists(graphsName)
	if err != nil {
		return nil, fmt.Errorf("opening the graphs: %w", err)
	}
	b, err := graphs.CreateBucketIfNotExists(idKey(g))
	if err != nil {
		return nil, fmt.Errorf("opening a graph: %w", err)
	}
	out := &graphBuckets{}
	if out.indexed, err = openIndexed(b); err != nil {
		return nil, err
	}
	if out.parts, err = openParts(b); err != nil {
		return nil, err
	}
	return out, nil
}

const fillPercent = 0.9

// addCount adds n to a count, and removes the count if it becomes zero.
func (g *indexed) addCount(predicate dict.ID, n int64) error {
	key := idKey(predicate)
	n += readCount(g.counts, predicate)
	var err error
	if n == 0 {
		err = g.counts.Delete(key)
	} else {
		err = g.counts.Put(key, binary.BigEndian.AppendUint64(nil, uint64(n)))
	}
	if err != nil {
		return fmt.Errorf("writing the counts: %w", err)
	}
	return nil
}

// readCount returns the number of triples with a predicate, or of all for 0.
func readCount(counts *bolt.Bucket, predicate dict.ID) int64 {
	if counts == nil {
		return 0
	}
	if v := counts.Get(idKey(predicate)); len(v) == 8 {
		return int64(binary.BigEndian.Uint64(v))
	}
	return 0
}

// count returns the number of a graph's triples with the predicate, or of all for the
// zero id.
func (g *graphBuckets) count(predicate dict.ID) int64 {
	n := readCount(g.counts, predicate)
	for _, p := range g.parts {
		n += readCount(p.counts, predicate)
	}
	return n
}

// setRevision gives the current state of the published graph a random name. A counter
// would repeat after a backup is restored.
func setRevision(w kv.Writer) error {
	var r [16]byte
	rand.Read(r[:])
	b, err := w.Writable(string(metaName))
	if err != nil {
		return err
	}
	return b.Put(revisionKey, r[:])
}

func revision(r kv.Reader) []byte { return r.Bucket(string(metaName)).Get(revisionKey) }
