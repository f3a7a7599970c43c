package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/segraph/segraph/config"
)

// maxBreaks is how often a download may break off in a row without progress.
const maxBreaks = 5

// download is a backup being downloaded from a service.
type download struct {
	client *http.Client
	base   string // URL of the API
	token  string
	to     *os.File
	at     int64 // bytes received
	name   string
	digest string // Repr-Digest of the whole file
}

// fetchBackup downloads a new backup from the service at --url, and returns its name and the
// digest that it should have.
func fetchBackup(ctx context.Context, p *program, c *config.Config, to *os.File) (name, digest string, err error) {
	token, err := tokenOf(c)
	if err != nil {
		return "", "", err
	}
	d := &download{base: strings.TrimSuffix(c.URL, "/"), token: token, to: to, client: serviceClient()}
	defer d.client.CloseIdleConnections()
	for breaks := 0; ; breaks++ {
		before := d.at
		err := d.once(ctx)
		if err == nil {
			return d.name, d.digest, nil
		}
		var broken *brokenOff
		if !errors.As(err, &broken) || ctx.Err() != nil || d.name == "" {
			return "", "", err
		}
		if d.at > before {
			breaks = 0
		}
		if breaks == maxBreaks {
			return "", "", err
		}
		fmt.Fprintf(p.stderr, "segraph: the download broke off after %s bytes and resumes: %v\n", grouped(d.at), broken.err)
		select {
		case <-time.After(time.Duration(breaks) * time.Second):
		case <-ctx.Done():
			return "", "", ctx.Err()
		}
	}
}

// brokenOff wraps the error of a download that can be resumed.
type brokenOff struct{ err error }

func (b *brokenOff) Error() string { return "the download broke off: " + b.err.Error() }
func (b *brokenOff) Unwrap() error { return b.err }

// once requests the backup, or the rest of it after an interruption, and writes what comes to the file. A *brokenOff
// error means that another request may go on.
func (d *download) once(ctx context.Context) error {
	address := d.base + "/admin/backup"
	if d.name != "" {
		address += "?name=" + url.QueryEscape(d.name)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return fmt.Errorf("asking %s: %w", d.base, err)
	}
	if d.token != "" {
		request.Header.Set("Authorization", "Bearer "+d.token)
	}
	want := http.StatusOK
	if d.at > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", d.at))
		want = http.StatusPartialContent
	}
	response, err := d.client.Do(request)
	if err != nil {
		return &brokenOff{err}
	}
	defer response.Body.Close()
	if response.StatusCode != want {
		return refusal(d.base, response)
	}
	_, parameters, err := mime.ParseMediaType(response.Header.Get("Content-Disposition"))
	digest := response.Header.Get("Repr-Digest")
	if err != nil || parameters["filename"] == "" || digest == "" {
		return fmt.Errorf("%s sent no name or no digest of the backup; is that the API of a segraph service?", d.base)
	}
	if d.name != "" && (parameters["filename"] != d.name || digest != d.digest) {
		return fmt.Errorf("%s continued with a different backup", d.base)
	}
	d.name, d.digest = parameters["filename"], digest
	n, err := io.Copy(d.to, response.Body)
	d.at += n
	if errors.As(err, new(*fs.PathError)) { // of this machine's disk
		return fmt.Errorf("writing the copy: %w", err)
	}
	if err != nil {
		return &brokenOff{err}
	}
	return nil
}
