package resolver

import (
	"cmp"
	"math"
	"slices"

	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/text"
)

// bucketName is the hash of a kind and the number of a time interval.
type bucketName struct {
	kind uint64
	time int64
}

// bucket lists the contexts of one kind that began in one time interval, so that a search
// examines few.
type bucket struct {
	name bucketName
	size int // about how many bytes of memory it takes

	all      list
	nobody   list            // contexts without a subject, or with generic ones only
	subjects map[string]list // by subject, generic or not
	grams    map[string]list // by words and by trigrams; nil until the bucket is crowded
}

// list is sorted by time, then by number.
type list []entry

type entry struct {
	at     int64
	number uint64
}

const (
	crowded       = 64   // the largest number of candidates that are compared
	listedAtLeast = 8192 // how many of the newest contexts of a bucket are read from the store, at least; see newest
)

// bucket returns the bucket with a name from memory, or its newest contexts from the store.
func (c *committed) bucket(name bucketName) (*bucket, error) {
	if b, ok := c.buckets.get(name); ok {
		return b, nil
	}
	numbers, err := c.newest(name)
	if err != nil {
		return nil, err
	}
	b := newBucket(name)
	for _, n := range numbers {
		s, err := c.context(n)
		if err != nil {
			return nil, err
		}
		b.add(s)
	}
	c.buckets.put(name, b)
	return b, nil
}

func newBucket(name bucketName) *bucket {
	return &bucket{name: name, size: 256, subjects: map[string]list{}}
}

// newest returns the numbers of the newest contexts in a bucket: at least listedAtLeast, if it has so many, and fewer than
// twice as many. Their number depends only on the number in the bucket. So a resolver that dropped the bucket from memory, at
// twice listedAtLeast, finds the same contexts as one that has just been opened.
func (c *committed) newest(name bucketName) ([]uint64, error) {
	from, to := c.hasher.TimeRange(name.kind, name.time)
	numbers, err := numbersIn(c, from, to, math.MaxInt, record.Number)
	return numbers[listedAtLeast*max(0, len(numbers)/listedAtLeast-1):], err
}

// bucket returns the name of the bucket that lists the context.
func (s *shared) bucket() bucketName { return bucketName{s.kindHash, record.Bucket(s.At)} }

// add puts a context into the lists in which candidates are looked up: that of each of its subjects and, unless a subject
// identifies a person, that of contexts about nobody. It is called again after the context got observations.
func (b *bucket) add(s *shared) {
	e := entry{s.At, s.Number}
	before := len(b.all)
	b.all = b.all.insert(e)
	b.size += 3 * ofEntry * (len(b.all) - before) // with room to grow, and for nobody
	named := false
	for _, m := range s.Members {
		if m.Subject != "" {
			named = named || !m.Generic
			b.insert(b.subjects, m.Subject, e)
		}
	}
	if i, found := b.nobody.find(e); !named {
		b.nobody = b.nobody.insert(e)
	} else if found { // until now
		b.nobody = slices.Delete(b.nobody, i, i+1)
	}
	if b.grams != nil {
		b.addGrams(s)
	}
}

// Bytes of memory in a bucket.
const (
	ofEntry = 20
	ofList  = 96 // and the name of the list
)

// insert adds an entry to a list of the bucket.
func (b *bucket) insert(lists map[string]list, name string, e entry) {
	before := lists[name]
	after := before.insert(e)
	if len(before) == 0 {
		b.size += ofList + len(name)
	}
	lists[name], b.size = after, b.size+ofEntry*(len(after)-len(before))
}

// addGrams indexes a context by the words and trigrams of its texts.
func (b *bucket) addGrams(s *shared) {
	for _, t := range s.texts {
		words, threes := t.Grams()
		for _, g := range words {
			b.insert(b.grams, g, entry{s.At, s.Number})
		}
		for _, g := range threes {
			b.insert(b.grams, g, entry{s.At, s.Number})
		}
	}
}

// crowd builds the indexes of words and trigrams, by which a bucket with very many contexts is searched.
func (b *bucket) crowd(c *committed) error {
	if b.grams != nil {
		return nil
	}
	b.grams = map[string]list{}
	for _, e := range b.all {
		s, err := c.context(e.number)
		if err != nil {
			b.grams = nil
			return err
		}
		b.addGrams(s)
	}
	c.buckets.put(b.name, b)
	return nil
}

// find returns the position of e, and whether it is there.
func (l list) find(e entry) (int, bool) {
	return slices.BinarySearchFunc(l, e, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.number, b.number))
	})
}

// insert returns the list with e inserted, unless it is already there.
func (l list) insert(e entry) list {
	i, found := l.find(e)
	if found {
		return l
	}
	return slices.Insert(l, i, e)
}

// between returns the entries in a closed time interval.
func (l list) between(from, to int64) list {
	byTime := func(e entry, at int64) int { return cmp.Compare(e.at, at) }
	i, _ := slices.BinarySearchFunc(l, from, byTime)
	j, _ := slices.BinarySearchFunc(l, to+1, byTime)
	return l[i:max(i, j)]
}

// nearest returns the n entries nearest to a time, or all if there are fewer, in list order.
func (l list) nearest(at int64, n int) list {
	i, _ := slices.BinarySearchFunc(l, at, func(e entry, at int64) int { return cmp.Compare(e.at, at) })
	from, to := i, i
	for to-from < n && (from > 0 || to < len(l)) {
		if to == len(l) || from > 0 && at-l[from-1].at < l[to].at-at {
			from--
		} else {
			to++
		}
	}
	return l[from:to]
}

// gramsOf returns the words and trigrams of all texts of a side.
func gramsOf(texts []*text.Text) (words, threes []string) {
	for _, t := range texts {
		w, g := t.Grams()
		words, threes = append(words, w...), append(threes, g...)
	}
	return words, threes
}
