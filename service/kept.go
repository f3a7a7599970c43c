package service

import "github.com/segraph/segraph/store/rdf"

// Kept counts the bytes of the long texts that a page keeps in memory. A robot decides how long its texts are, and
// a page may have thousands of them.
type Kept int64

const (
	longText = 1 << 10  // bytes; a shorter text is not counted
	maxKept  = 64 << 20 // bytes
)

// Add counts terms. The error says that the page would keep too much.
func (k *Kept) Add(terms ...rdf.Term) error {
	for _, t := range terms {
		if n := len(t.Value()); n > longText {
			*k += Kept(n)
		}
	}
	if *k > maxKept {
		return refuse(TooLarge, "the texts of this page would take more than %d MiB of memory; choose a shorter time, or fewer rows", maxKept>>20)
	}
	return nil
}
