package tree

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Text returns the text of a checkpoint of a log (C2SP tlog-checkpoint): the log's name, the size
// and the root, each on a line.
func (h Head) Text(origin string) string {
	return fmt.Sprintf("%s\n%d\n%s\n", origin, h.Size, base64.StdEncoding.EncodeToString(h.Root[:]))
}

// ParseText returns the name and the head in the text of a checkpoint. It ignores lines after the
// third.
func ParseText(text string) (origin string, h Head, err error) {
	lines := strings.SplitN(text, "\n", 4)
	if len(lines) < 3 || len(lines) == 3 && lines[2] == "" {
		return "", h, errors.New("the checkpoint has fewer than three lines")
	}
	if h.Size, err = strconv.ParseUint(lines[1], 10, 62); err != nil || strconv.FormatUint(h.Size, 10) != lines[1] {
		return "", h, fmt.Errorf("the checkpoint: %.40q is not a number without leading zeroes", lines[1])
	}
	root, err := base64.StdEncoding.Strict().DecodeString(lines[2])
	if err != nil || len(root) != hashSize {
		return "", h, fmt.Errorf("the checkpoint: %.60q is not 32 bytes in base64", lines[2])
	}
	h.Root = [hashSize]byte(root)
	return lines[0], h, nil
}
