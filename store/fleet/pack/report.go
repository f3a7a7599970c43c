package pack

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/segraph/segraph/store/log/translog"
)

// Report is what a box says of itself every 20 s, with a pack or alone.
type Report struct {
	Run     uint64    `json:"run"`  // a random number of the box's process
	Beat    uint64    `json:"beat"` // counts the reports of the run, from 1
	Time    time.Time `json:"time"` // now, by the box's clock
	Entries uint64    `json:"entries"`
	Waiting time.Time `json:"waiting,omitzero"`  // of the oldest entry that the centre lacks; zero if it has all
	Version string    `json:"version,omitempty"` // of the program
	Free    int64     `json:"free"`              // bytes left on the disk; -1 if unknown
	Refused string    `json:"refused,omitempty"` // why the box sends nothing: the centre, or the box, refuses
}

// Text returns the text that the box's key signs.
func (r Report) Text(log string) string {
	text, err := json.Marshal(r)
	if err != nil {
		panic(err) // it has only texts, numbers and times
	}
	return translog.ReportHead + "\n" + log + "\n" + string(text) + "\n"
}

// ReadReport reads a report that the log's key signed.
func ReadReport(signed []byte, log, key string) (r Report, err error) {
	text, err := opened(signed, key)
	if err != nil {
		return r, err
	}
	said, ok := strings.CutPrefix(text, translog.ReportHead+"\n"+log+"\n")
	if !ok {
		return r, errors.New("it is no report of this log")
	}
	if err := json.Unmarshal([]byte(said), &r); err != nil {
		return r, fmt.Errorf("it can't be read: %w", err)
	}
	return r, nil
}
