package journal

import (
	"fmt"

	"github.com/segraph/segraph/store/engine/kv"
)

// Forget erases what entries say of people: the groups with a value that in finds somebody in,
// and all groups but Who of the entries that about accepts. It erases the signatures of these
// entries too, because a signature's base has a digest of the body without a salt. It returns
// the numbers of the entries.
func Forget(tx kv.Writer, in func(text string) bool, about func(seq uint64, e *Entry) bool) (seqs []uint64, err error) {
	groups := map[uint64]Groups{}
	for k, v := range kv.All(tx.Bucket(bucketName)) {
		seq := seqOf(k)
		e, err := decode(seq, v)
		if err == nil {
			err = e.addBeside(tx, seq)
		}
		if err != nil {
			return nil, err
		}
		var of Groups
		for g := Who; g <= What; g++ {
			for _, value := range e.values(g) {
				if in(*value) {
					of |= GroupsOf(g)
				}
			}
		}
		its := about(seq, &e)
		if its {
			of |= GroupsOf(What, Client, Content)
		}
		if of &= e.has() &^ e.Erased; of != 0 || its && e.SignatureHash != "" { // a body may be all that is left
			groups[seq], seqs = of, append(seqs, seq)
		}
	}
	for _, seq := range seqs {
		if err = Erase(tx, seq, groups[seq]); err == nil {
			err = EraseSignature(tx, seq)
		}
		if err != nil {
			return nil, fmt.Errorf("erasing a person from the journal: %w", err)
		}
	}
	return seqs, nil
}
