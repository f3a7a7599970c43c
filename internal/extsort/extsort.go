// Package extsort sorts more texts than memory should hold, with a temporary file.
package extsort

import (
	"bufio"
	"container/heap"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"

	"github.com/segraph/segraph/internal/spool"
)

// Sorter sorts texts by their bytes. It is for one goroutine. The caller calls Close.
type Sorter struct {
	most  int // texts in memory
	texts []string
	bytes int      // of the texts
	file  *os.File // has sorted runs of texts, each text after its length; nil before there is one
	ends  []int64  // of the runs
}

// mostBytes is how many bytes the texts in memory have at most, unless it is a single one.
const mostBytes = 16 << 20

// New returns a Sorter that holds at most a number of texts in memory, and at most mostBytes.
func New(most int) *Sorter { return &Sorter{most: most} }

// Add adds a text. After an error, as of a full disk, there is no result.
func (s *Sorter) Add(text string) error {
	if len(s.texts) == s.most || len(s.texts) > 0 && s.bytes+len(text) > mostBytes {
		if err := s.spill(); err != nil {
			return fmt.Errorf("sorting in a temporary file: %w", err)
		}
	}
	s.texts, s.bytes = append(s.texts, text), s.bytes+len(text)
	return nil
}

// spill writes the texts in memory to the file, as a run.
func (s *Sorter) spill() (err error) {
	if s.file == nil {
		if s.file, err = spool.Unnamed(""); err != nil {
			return err
		}
	}
	slices.Sort(s.texts)
	w := bufio.NewWriterSize(s.file, 1<<16)
	for _, t := range s.texts {
		_, _ = w.Write(binary.AppendUvarint(w.AvailableBuffer(), uint64(len(t))))
		_, _ = w.WriteString(t)
	}
	if err := w.Flush(); err != nil { // also if a Write failed
		return err
	}
	end, err := s.file.Seek(0, io.SeekCurrent)
	s.ends = append(s.ends, end)
	clear(s.texts)
	s.texts, s.bytes = s.texts[:0], 0
	return err
}

// All yields all texts in order, equal ones each time. An error is the last that it yields. All can be called once.
func (s *Sorter) All() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		slices.Sort(s.texts)
		all, begin := runs{{rest: s.texts}}, int64(0)
		for _, end := range s.ends {
			all = append(all, &run{in: bufio.NewReaderSize(io.NewSectionReader(s.file, begin, end-begin), 1<<14)})
			begin = end
		}
		var failed error
		all = slices.DeleteFunc(all, func(r *run) bool { // those that are empty
			err := r.next()
			if !errors.Is(err, io.EOF) {
				failed = errors.Join(failed, err)
			}
			return err != nil
		})
		heap.Init(&all)
		for len(all) > 0 && failed == nil {
			r := all[0]
			if !yield(r.first, nil) {
				return
			}
			switch err := r.next(); {
			case err == nil:
				heap.Fix(&all, 0)
			case errors.Is(err, io.EOF):
				heap.Pop(&all)
			default:
				failed = err
			}
		}
		if failed != nil {
			yield("", fmt.Errorf("reading a temporary file: %w", failed))
		}
	}
}

// Close removes the temporary file.
func (s *Sorter) Close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// run is a sorted list of texts, in memory or in a file.
type run struct {
	first string
	rest  []string
	in    *bufio.Reader // nil in memory
}

// next moves to the next text. It returns io.EOF at the end.
func (r *run) next() error {
	if r.in == nil {
		if len(r.rest) == 0 {
			return io.EOF
		}
		r.first, r.rest = r.rest[0], r.rest[1:]
		return nil
	}
	n, err := binary.ReadUvarint(r.in)
	if err != nil {
		return err
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(r.in, b); err != nil {
		return fmt.Errorf("a text is cut short: %v", err)
	}
	r.first = string(b)
	return nil
}

// runs is a heap of runs, by their first texts.
type runs []*run

func (x runs) Len() int           { return len(x) }
func (x runs) Less(i, j int) bool { return x[i].first < x[j].first }
func (x runs) Swap(i, j int)      { x[i], x[j] = x[j], x[i] }
func (x *runs) Push(v any)        { *x = append(*x, v.(*run)) }
func (x *runs) Pop() any {
	last := (*x)[len(*x)-1]
	*x = (*x)[:len(*x)-1]
	return last
}
