package record

import (
	"crypto/sha256"
	"encoding/binary"
)

// Keys begin with a letter for the kind of record. Numbers are big-endian, so that keys
// sort numerically.
const (
	contexts     = 'c'
	times        = 't' // by kind and Bucket; see Hasher
	observations = 'o' // by context
	cases        = 'k'
	pending      = 'p'
	decisions    = 'd'
	verdicts     = 'm' // decisions on whether two contexts are one event, newest first
	repeats      = 'r'
	reuses       = 'u'
	clocks       = 'l'
	kinds        = 'e'
	texts        = 'f'
	subjects     = 's'
	places       = 'g'
	totals       = 'n'
	series       = 'i'
	scale        = 'z'
	reviews      = 'v'
	watched      = 'h' // subjects that may be placeholders
	pairs        = 'b' // pairs of robots
	relays       = 'y'
	people       = 'w' // pairs of subjects that are or may be one person
	batches      = 'a' // decisions that a person made together, newest first
	aliases      = 'x' // URIs of contexts of other services
)

// Letters of records that are found by hashed names.
const (
	ClockLetter   byte = clocks
	WatchedLetter byte = watched
	RelayLetter   byte = relays
	PersonLetter  byte = people
	PairLetter    byte = pairs
	ReuseLetter   byte = reuses
	AliasLetter   byte = aliases
)

// BucketWidth is the length of a bucket's time interval, in microseconds.
const BucketWidth = 9_000_000

// Bucket returns the number of the bucket for a time.
func Bucket(at int64) int64 {
	b := at / BucketWidth
	if at%BucketWidth < 0 {
		b--
	}
	return b
}

// key returns a key: a letter for the kind of record, and numbers, which sort as numbers.
func key(letter byte, numbers ...uint64) []byte {
	k := make([]byte, 1, 1+8*len(numbers))
	k[0] = letter
	for _, n := range numbers {
		k = binary.BigEndian.AppendUint64(k, n)
	}
	return k
}

// ContextKey returns the key of a context.
func ContextKey(number uint64) []byte { return key(contexts, number) }

// ObservationKey returns the key of an observation of a context.
func ObservationKey(context, number uint64) []byte { return key(observations, context, number) }

// ObservationRange returns the range of keys of the observations of a context.
func ObservationRange(context uint64) (from, to []byte) {
	return ObservationKey(context, 0), ObservationKey(context+1, 0)
}

// CaseKey returns the key of a case.
func CaseKey(number uint64) []byte { return key(cases, number) }

// PendingKey returns the key of an empty record that marks a pending case.
func PendingKey(number uint64) []byte { return key(pending, number) }

// PendingRange returns the range of keys of the pending cases after one.
func PendingRange(after uint64) (from, to []byte) { return PendingKey(after + 1), []byte{pending + 1} }

// DecisionKey returns the key of a decision.
func DecisionKey(number uint64) []byte { return key(decisions, number) }

// DecisionRange returns the range of keys of all decisions, oldest first.
func DecisionRange() (from, to []byte) { return []byte{decisions}, []byte{decisions + 1} }

// VerdictKey returns the key of an empty record that marks a decision on whether two
// contexts are one event.
func VerdictKey(number uint64) []byte { return key(verdicts, ^number) }

// VerdictRange returns the range of keys of the verdicts before a decision, newest first.
// before 0 means all.
func VerdictRange(before uint64) (from, to []byte) {
	return key(verdicts, ^(before - 1)), []byte{verdicts + 1} // for 0, before-1 is the largest number
}

// VerdictNumber returns the number of the decision that a VerdictKey marks.
func VerdictNumber(key []byte) uint64 { return ^Number(key) }

// BatchKey returns the key of an empty record that marks a decision of a batch.
func BatchKey(batch string, number uint64) []byte {
	return binary.BigEndian.AppendUint64(hashed(batches, batch), ^number)
}

// BatchRange returns the range of keys of the decisions of a batch, newest first.
// VerdictNumber returns their numbers.
func BatchRange(batch string) (from, to []byte) {
	return BatchKey(batch, ^uint64(0)), BatchKey(batch, 0)
}

// BatchesRange returns the range of keys of the decisions of all batches.
func BatchesRange() (from, to []byte) { return []byte{batches}, []byte{batches + 1} }

// AliasKey returns the key of an Alias.
func AliasKey(uri string) []byte { return hashed(aliases, uri) }

// AliasRange returns the range of keys of all aliases.
func AliasRange() (from, to []byte) { return []byte{aliases}, []byte{aliases + 1} }

// RepeatKey returns the key of the answer to a repeat.
func RepeatKey(h Hash) []byte { return append([]byte{repeats}, h[:]...) }

// ReuseRange returns the range of keys of these counts.
func ReuseRange() (from, to []byte) { return []byte{reuses}, []byte{reuses + 1} }

// hashed returns the key of a record with a name, which may be longer than a key.
func hashed(letter byte, name string) []byte {
	h := sha256.Sum256([]byte(name))
	return append([]byte{letter}, h[:16]...)
}

// ClockRange returns the range of keys of all clocks.
func ClockRange() (from, to []byte) { return []byte{clocks}, []byte{clocks + 1} }

// WatchedRange returns the range of keys of these subjects.
func WatchedRange() (from, to []byte) { return []byte{watched}, []byte{watched + 1} }

// PairRange returns the range of keys of all pairs.
func PairRange() (from, to []byte) { return []byte{pairs}, []byte{pairs + 1} }

// SeriesKey returns the key of the series of names that begins with a decision.
func SeriesKey(decision uint64) []byte { return key(series, decision) }

// SeriesRange returns the range of keys of all series, oldest first.
func SeriesRange() (from, to []byte) { return []byte{series}, []byte{series + 1} }

// RelayRange returns the range of keys of these robots.
func RelayRange() (from, to []byte) { return []byte{relays}, []byte{relays + 1} }

// PeopleRange returns the range of keys of pairs of subjects.
func PeopleRange() (from, to []byte) { return []byte{people}, []byte{people + 1} }

// TotalsKey, ScaleKey and ReviewsKey return the keys of records that exist only once.
func TotalsKey() []byte  { return key(totals) }
func ScaleKey() []byte   { return key(scale) }
func ReviewsKey() []byte { return key(reviews) }

// Number returns the number at the end of a key.
func Number(key []byte) uint64 { return binary.BigEndian.Uint64(key[len(key)-8:]) }
