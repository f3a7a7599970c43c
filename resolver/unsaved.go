package resolver

import "slices"

// unsaved are the records that are decided and not yet in the store, by their keys. Whoever reads the
// store reads them first.
type unsaved map[string]unsavedRecord

type unsavedRecord struct {
	value  []byte // nil for one that is removed
	change uint64 // the last change that has it
}

// add takes up the records of a change.
func (u unsaved) add(records []Record, change uint64) {
	for _, r := range records {
		u[string(r.Key)] = unsavedRecord{r.Value, change}
	}
}

// saved drops the records of a change that is in the store, but for those that changed again since.
func (u unsaved) saved(records []Record, change uint64) {
	for _, r := range records {
		if u[string(r.Key)].change == change {
			delete(u, string(r.Key))
		}
	}
}

// get gives the value under a key, nil if there is none.
func (r *Resolver) get(key []byte) ([]byte, error) {
	if u, ok := r.unsaved[string(key)]; ok {
		return u.value, nil
	}
	return r.store.Get(key)
}

// scan is Store.Scan with what is not saved yet.
func (r *Resolver) scan(from, to []byte, yield func(key, value []byte) bool) error {
	var own []string
	for k := range r.unsaved {
		if k >= string(from) && (len(to) == 0 || k < string(to)) {
			own = append(own, k)
		}
	}
	slices.Sort(own)
	more := true
	// behind yields what is not saved before a key, and tells whether it has that key too.
	behind := func(key string, last bool) bool {
		for len(own) > 0 && more && (last || own[0] <= key) {
			k := own[0]
			own = own[1:]
			if v := r.unsaved[k].value; v != nil {
				more = yield([]byte(k), v)
			}
			if k == key && !last {
				return true
			}
		}
		return false
	}
	err := r.store.Scan(from, to, func(key, value []byte) bool {
		if !behind(string(key), false) && more {
			more = yield(key, value)
		}
		return more
	})
	if err == nil {
		behind("", true)
	}
	return err
}
