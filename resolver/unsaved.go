package resolver

import "slices"

// unsaved holds the records that were entered and are not in the store yet, by their keys. Reads look here first.
type unsaved map[string]unsavedRecord

type unsavedRecord struct {
	value  []byte // nil for one that is removed
	change uint64 // the last change that has it
}

// add adds the records of a change.
func (u unsaved) add(records []Record, change uint64) {
	for _, r := range records {
		u[string(r.Key)] = unsavedRecord{r.Value, change}
	}
}

// saved drops the records of a change that is stored, except those that changed again since.
func (u unsaved) saved(records []Record, change uint64) {
	for _, r := range records {
		if u[string(r.Key)].change == change {
			delete(u, string(r.Key))
		}
	}
}

// get returns the value under a key, nil if there is none.
func (c *committed) get(key []byte) ([]byte, error) {
	if u, ok := c.unsaved[string(key)]; ok {
		return u.value, nil
	}
	return c.store.Get(key)
}

// scan is Store.Scan over the store and unsaved together.
func (c *committed) scan(from, to []byte, yield func(key, value []byte) bool) error {
	var own []string
	for k := range c.unsaved {
		if k >= string(from) && (len(to) == 0 || k < string(to)) {
			own = append(own, k)
		}
	}
	slices.Sort(own)
	more := true
	// behind yields the unsaved records before a key, and reports whether that key is unsaved too.
	behind := func(key string, last bool) bool {
		for len(own) > 0 && more && (last || own[0] <= key) {
			k := own[0]
			own = own[1:]
			if v := c.unsaved[k].value; v != nil {
				more = yield([]byte(k), v)
			}
			if k == key && !last {
				return true
			}
		}
		return false
	}
	err := c.store.Scan(from, to, func(key, value []byte) bool {
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
