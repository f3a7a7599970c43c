package journal

// Retry describes a request that its client may send again. Package retries stores it
// together with the entry of the request's write, so that a retry gets the first answer.
type Retry struct {
	ID   [12]byte // hash of the user, the method, the path, the query and the key
	User [5]byte  // hash of the user
	Body [32]byte // SHA-256 of the body
	Hash [6]byte  // HMAC of that, which is stored
	// ByRequest means that the key is a request id, which may come with several bodies.
	ByRequest bool
	Status    int // of the answer, if the write succeeds
	// Content returns what is kept with the content of a log that the request publishes.
	Content func() string
	// Encode returns the body of the answer for the result of the write.
	Encode func(result any) ([]byte, error)

	// Answer is the body of the answer. For a log it is only what the entry lacks.
	Answer []byte
	// Observed means that the answer to a log also has the context, the outcome and the case
	// of the entry before the log's own, which is that of its observation.
	Observed bool
	// Entered means that the answer is stored with the entry.
	Entered bool
}

// Keep sets the answer to the result of a write, which must be complete before the entry is
// appended. It does nothing if r is nil.
func (r *Retry) Keep(result any) (err error) {
	if r != nil {
		r.Answer, err = r.Encode(result)
	}
	return err
}
