package service

import (
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/budget"
)

// Kept counts the bytes of the long texts that a page keeps in memory. A robot decides how long its texts are, and
// a page may have thousands of them.
type Kept struct {
	Entries int // how many entries or triples a page of JSON has memory for

	bytes  int
	free   int            // bytes of memory that the page has waited for and not used
	memory *budget.Budget // takes memory for the long texts of a page of JSON, and for what else exceeds free
}

const (
	longText = 1 << 10  // bytes; a shorter text is not counted
	maxKept  = 64 << 20 // bytes
)

// Add counts terms. The error says that the page would keep too much, or more than is free.
func (k *Kept) Add(terms ...rdf.Term) error {
	for _, t := range terms {
		if n := len(t.Value()); n > longText {
			k.bytes += n
			if err := k.grow(n); err != nil {
				return err
			}
		}
	}
	if k.bytes > maxKept {
		return refuse(TooLarge, "the texts of this page would take more than %d MiB of memory; choose a shorter time, or fewer rows", maxKept>>20)
	}
	return nil
}

// Take takes n bytes of the memory that a page of JSON has waited for, and of what else is free now. The error is an *Error.
func (k *Kept) Take(n int) error {
	free := min(n, k.free)
	k.free -= free
	return k.grow(n - free)
}

func (k *Kept) grow(n int) error {
	if err := k.memory.Grow(int64(n)); err != nil {
		return refuse(Unavailable, "this page takes more memory than is free now; try again later, or ask for fewer rows").limited("memory").retry(busyMemory)
	}
	return nil
}
