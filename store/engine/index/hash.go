package index

// Hash returns a hash of a tuple. Lists of tuples are cut at positions that depend on it,
// so it must never change.
func Hash(t Tuple) uint64 { return mix(mix(mix(t[0])+t[1]) + t[2]) }

// mix hashes a number to 64 bits (the finalizer of splitmix64).
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
