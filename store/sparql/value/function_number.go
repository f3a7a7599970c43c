package value

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"math"
	"math/rand/v2"

	"github.com/segraph/segraph/store/rdf"
)

// abs is ABS (SPARQL 1.1, section 17.4.4.1).
func abs(v Value) Value {
	switch {
	case v.kind == KindFloat || v.kind == KindDouble:
		return fromFloat(v.kind, math.Abs(v.double()))
	case v.isExact() && (v.num < 0 || v.large != nil && v.large.Sign() < 0):
		return negateExact(v)
	}
	return Plus(v)
}

// round is ROUND: to the nearest integer, and of two the larger one (17.4.4.2).
func round(v Value) Value {
	switch {
	case v.kind == KindFloat || v.kind == KindDouble:
		f := v.double()
		whole := math.Floor(f)
		if f-whole >= 0.5 {
			whole++
		}
		return fromFloat(v.kind, math.Copysign(whole, f)) // -0.4 gives -0
	case v.isExact():
		return wholeNumber(v, func(fraction int64) bool {
			half := powers[v.minor] / 2
			return fraction >= half || fraction < 0 && fraction >= -half
		}, rdf.Decimal.Round)
	}
	return Error()
}

// ceil is CEIL (17.4.4.3).
func ceil(v Value) Value {
	switch {
	case v.kind == KindFloat || v.kind == KindDouble:
		return fromFloat(v.kind, math.Ceil(v.double()))
	case v.isExact():
		return wholeNumber(v, func(int64) bool { return true }, rdf.Decimal.Ceil)
	}
	return Error()
}

// floor is FLOOR (17.4.4.4).
func floor(v Value) Value {
	switch {
	case v.kind == KindFloat || v.kind == KindDouble:
		return fromFloat(v.kind, math.Floor(v.double()))
	case v.isExact():
		return wholeNumber(v, func(int64) bool { return false }, rdf.Decimal.Floor)
	}
	return Error()
}

// wholeNumber rounds an integer or decimal to one of its neighbours: up if so says the
// fraction (times 10^scale, not 0, with the number's sign), else down. A large one goes to rdf.
func wholeNumber(v Value, up func(fraction int64) bool, large func(rdf.Decimal) rdf.Decimal) Value {
	if v.large != nil {
		return exact(v.kind, large(*v.large))
	}
	whole, fraction := v.split()
	if fraction < 0 {
		whole--
	}
	if fraction != 0 && up(fraction) {
		whole++
	}
	return Value{kind: v.kind, num: whole}
}

func fromFloat(kind Kind, f float64) Value {
	if kind == KindFloat {
		return Float(float32(f))
	}
	return Double(f)
}

// random is RAND: a xsd:double from 0 up to but not 1 (17.4.4.5).
func random(*Context, []Value) (Value, error) { return Double(rand.Float64()), nil }

// The hash functions take a xsd:string, and give the hash of its UTF-8 in small hexadecimal
// digits (17.4.6).

func hashMD5(v Value) Value {
	sum := md5.Sum([]byte(v.text()))
	return hashed(v, sum[:])
}

func hashSHA1(v Value) Value {
	sum := sha1.Sum([]byte(v.text()))
	return hashed(v, sum[:])
}

func hashSHA256(v Value) Value {
	sum := sha256.Sum256([]byte(v.text()))
	return hashed(v, sum[:])
}

func hashSHA384(v Value) Value {
	sum := sha512.Sum384([]byte(v.text()))
	return hashed(v, sum[:])
}

func hashSHA512(v Value) Value {
	sum := sha512.Sum512([]byte(v.text()))
	return hashed(v, sum[:])
}

func hashed(v Value, sum []byte) Value {
	if v.kind != KindString {
		return Error()
	}
	return String(hex.EncodeToString(sum))
}
