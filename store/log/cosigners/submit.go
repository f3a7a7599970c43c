package cosigners

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/store/log/translog"
)

// maxAnswer limits how many bytes of an answer are read.
const maxAnswer = 64 << 10

// submit asks a witness to cosign a checkpoint. If the last checkpoint that the witness
// cosigned has another size than this log expects, submit tries again with a proof from
// that size. If the size is smaller, the witness has lost a part of its record: forgot says
// so. Otherwise it is "".
func (s *Sender) submit(ctx context.Context, p *peer, c translog.Checkpoint) (lines string, at time.Time, forgot string, err error) {
	old := p.size
	for range 2 {
		if old > c.Head.Size {
			return "", at, forgot, rolledBack(old, c.Head.Size)
		}
		var status int
		var kind, text string
		status, kind, text, err = s.post(ctx, p, c, old)
		if err != nil {
			return "", at, forgot, err
		}
		switch status {
		case http.StatusOK:
			lines, at, err = p.Key.Read(c.Text(), text)
			if err != nil {
				err = answer(Refuses, "its answer can't be used: %v", err)
			}
			return lines, at, forgot, err
		case http.StatusConflict:
			size, serr := strconv.ParseUint(strings.TrimSuffix(text, "\n"), 10, 63)
			if serr != nil || kind != "text/x.tlog.size" || size == old {
				return "", at, forgot, answer(Refuses, "it answered 409 without the size of the checkpoint that it has: %.200q", text)
			}
			if size < p.size {
				forgot = fmt.Sprintf("it says that it last cosigned %d entries, but it had cosigned %d: its record was rolled back", size, p.size)
			}
			old = size
		case http.StatusUnprocessableEntity:
			return "", at, forgot, answer(Contradicts, "it cosigned %d entries, and this log does not continue them: %.200s", old, text)
		case http.StatusNotFound:
			return "", at, forgot, answer(Refuses, "it is no witness of this log, or the URL is wrong (404)")
		case http.StatusForbidden:
			return "", at, forgot, answer(Refuses, "it does not know this log's key (403): after a rotation, give it the new one")
		default:
			return "", at, forgot, answer(Unreachable, "it answered %d: %.200s", status, text)
		}
	}
	return "", at, forgot, answer(Unreachable, "it cosigned other checkpoints meanwhile: does another server send in this log's name?")
}

func rolledBack(witness, own uint64) error {
	return answer(Contradicts, "it cosigned %d entries, and this log has only %d: its file was rolled back", witness, own)
}

// post sends a checkpoint with the proof that it continues the first old entries.
func (s *Sender) post(ctx context.Context, p *peer, c translog.Checkpoint, old uint64) (status int, kind, text string, err error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "old %d\n", old)
	if old > 0 {
		proof, err := s.options.Log.Consistency(ctx, old, c.Head.Size)
		if err != nil {
			return 0, "", "", err
		}
		for _, h := range proof {
			b.WriteString(base64.StdEncoding.EncodeToString(h) + "\n")
		}
	}
	b.WriteString("\n")
	b.Write(c.Signed)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL+"/add-checkpoint", &b)
	if err != nil {
		return 0, "", "", err
	}
	r.Header.Set("User-Agent", "segraph")
	r.Header.Set("Content-Type", "text/plain; charset=utf-8")
	got, err := s.http.Do(r)
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err // the log line has the URL already
	}
	if err != nil {
		return 0, "", "", answer(Unreachable, "%v", err)
	}
	defer got.Body.Close()
	body, err := io.ReadAll(io.LimitReader(got.Body, maxAnswer))
	if err != nil {
		return 0, "", "", answer(Unreachable, "its answer broke off: %v", err)
	}
	kind, _, _ = mime.ParseMediaType(got.Header.Get("Content-Type"))
	var problem struct{ Detail string }
	if kind == "application/problem+json" && json.Unmarshal(body, &problem) == nil { // from a segraph server
		body = []byte(problem.Detail)
	}
	return got.StatusCode, kind, string(body), nil
}
