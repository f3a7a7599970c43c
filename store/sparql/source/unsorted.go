package source

// Unsorted is a Reader without sorted indexes. Scan returns tuples in any order, Count
// and Estimate may be wrong, and ID may return an id for a term that is in no triple.
type Unsorted interface {
	Reader
	// Sorted is Scan with tuples in the order of the index and without duplicates. It may
	// have to read a whole range before it returns the first.
	Sorted(g ID, o Order) Scan
}

// UnsortedOf returns ds, or the dataset that FROM restricts, as an Unsorted. It returns nil
// if that is not one.
func UnsortedOf(ds Reader) Unsorted {
	u, _ := Base(ds).(Unsorted)
	return u
}

// Sorted returns a scan whose tuples are in the order of the index.
func Sorted(ds Reader, g ID, o Order) Scan {
	switch x := ds.(type) {
	case *merged:
		return x.scan(g, func(g ID) Scan { return Sorted(x.Reader, g, o) }, lessTuple)
	case Unsorted:
		return x.Sorted(g, o)
	}
	return ds.Scan(g, o)
}
