package record

import (
	"crypto/sha256"
	"encoding/binary"
)

// Keys begin with a letter for the kind of record. Numbers are big-endian, so that they are in order.
const (
	contexts     = 'c'
	times        = 't' // by kind and Bucket
	observations = 'o' // by context
	cases        = 'k'
	pending      = 'p'
	decisions    = 'd'
	verdicts     = 'm' // decisions on whether two contexts are one, the newest first
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
	pairs        = 'b' // of robots
	relays       = 'y'
)

// BucketWidth is how much time a bucket holds, in microseconds.
const BucketWidth = 9_000_000

// Bucket returns the number of the bucket of a time.
func Bucket(at int64) int64 {
	b := at / BucketWidth
	if at%BucketWidth < 0 {
		b--
	}
	return b
}

func key(letter byte, numbers ...uint64) []byte {
	k := make([]byte, 1, 1+8*len(numbers))
	k[0] = letter
	for _, n := range numbers {
		k = binary.BigEndian.AppendUint64(k, n)
	}
	return k
}

// ContextKey is where the context of a number is.
func ContextKey(number uint64) []byte { return key(contexts, number) }

// TimeKey says, by being there, that a context is in a bucket of a kind's hash.
func TimeKey(kind uint64, bucket int64, number uint64) []byte {
	return key(times, kind, uint64(bucket)^1<<63, number)
}

// TimeRange is that of all TimeKeys of a bucket.
func TimeRange(kind uint64, bucket int64) (from, to []byte) {
	return TimeKey(kind, bucket, 0), TimeKey(kind, bucket+1, 0)
}

// ObservationKey is where an observation of a context is.
func ObservationKey(context, number uint64) []byte { return key(observations, context, number) }

// ObservationRange is that of all observations of a context.
func ObservationRange(context uint64) (from, to []byte) {
	return ObservationKey(context, 0), ObservationKey(context+1, 0)
}

// CaseKey is where a case is.
func CaseKey(number uint64) []byte { return key(cases, number) }

// PendingKey says, by being there, that a case is pending.
func PendingKey(number uint64) []byte { return key(pending, number) }

// PendingRange is that of all pending cases behind one.
func PendingRange(after uint64) (from, to []byte) { return PendingKey(after + 1), []byte{pending + 1} }

// DecisionKey is where a decision is.
func DecisionKey(number uint64) []byte { return key(decisions, number) }

// DecisionRange is that of all decisions, the oldest first.
func DecisionRange() (from, to []byte) { return []byte{decisions}, []byte{decisions + 1} }

// VerdictKey returns the key of an empty record that marks a decision on whether two contexts are one event.
func VerdictKey(number uint64) []byte { return key(verdicts, ^number) }

// VerdictRange returns the keys of the verdicts before a decision, the newest first; before 0 is all of them.
func VerdictRange(before uint64) (from, to []byte) {
	return key(verdicts, ^(before - 1)), []byte{verdicts + 1}
}

// VerdictNumber returns the number of the decision that a VerdictKey marks.
func VerdictNumber(key []byte) uint64 { return ^Number(key) }

// RepeatKey is where the answer to a repeat is.
func RepeatKey(h Hash) []byte { return append([]byte{repeats}, h[:]...) }

// ReuseKey is where it is counted how often a robot reused the id of an observation.
func ReuseKey(robot string) []byte { return hashed(reuses, robot) }

// ReuseRange is that of all ReuseKeys.
func ReuseRange() (from, to []byte) { return []byte{reuses}, []byte{reuses + 1} }

// ClockKey is where the clock of a robot is.
func ClockKey(robot string) []byte { return hashed(clocks, robot) }

// hashed is where a record of a name is, which may be longer than a key.
func hashed(letter byte, name string) []byte {
	h := sha256.Sum256([]byte(name))
	return append([]byte{letter}, h[:16]...)
}

// ClockRange is that of all clocks.
func ClockRange() (from, to []byte) { return []byte{clocks}, []byte{clocks + 1} }

// KindKey is where the counts of a kind's hash are.
func KindKey(kind uint64) []byte { return key(kinds, kind) }

// TextKey is where the frequency of a text's fingerprint within a kind is.
func TextKey(kind, text uint64) []byte { return key(texts, kind, text) }

// SubjectKey is where the frequency of a subject's fingerprint within a kind is.
func SubjectKey(kind, subject uint64) []byte { return key(subjects, kind, subject) }

// PlaceKey is where the frequency of a place's fingerprint within a kind is.
func PlaceKey(kind, place uint64) []byte { return key(places, kind, place) }

// WatchedKey is where a subject that may be a placeholder is.
func WatchedKey(subject string) []byte { return hashed(watched, subject) }

// WatchedRange is that of all of them.
func WatchedRange() (from, to []byte) { return []byte{watched}, []byte{watched + 1} }

// PairKey is where a pair of robots is; first is the lesser name.
func PairKey(first, second string) []byte { return hashed(pairs, first+"\x00"+second) }

// PairRange is that of all pairs.
func PairRange() (from, to []byte) { return []byte{pairs}, []byte{pairs + 1} }

// SeriesKey is where the series of names is that begins with a decision.
func SeriesKey(decision uint64) []byte { return key(series, decision) }

// SeriesRange is that of all series, the oldest first.
func SeriesRange() (from, to []byte) { return []byte{series}, []byte{series + 1} }

// RelayKey is where a robot that may be a relay is.
func RelayKey(robot string) []byte { return hashed(relays, robot) }

// RelayRange is that of all of them.
func RelayRange() (from, to []byte) { return []byte{relays}, []byte{relays + 1} }

// TotalsKey, ScaleKey and ReviewsKey are where the only records of their kind are.
func TotalsKey() []byte  { return key(totals) }
func ScaleKey() []byte   { return key(scale) }
func ReviewsKey() []byte { return key(reviews) }

// Number reads the number at the end of a key.
func Number(key []byte) uint64 { return binary.BigEndian.Uint64(key[len(key)-8:]) }
