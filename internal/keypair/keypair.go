// Package keypair serves a certificate and its key from files, so that a renewed
// certificate is used without a restart. It checks the files when a client connects, at
// most once a second. If the two do not match, as between the writes of the files, the
// old pair stays in use, the error is logged, and the files are read again once a minute.
package keypair

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// Pair is a certificate chain and its key. It is safe for concurrent use.
type Pair struct {
	cert, key string
	log       *slog.Logger
	now       func() time.Time

	mu     sync.Mutex
	pair   *tls.Certificate
	looked time.Time  // when the files were last checked
	seen   [2]version // versions of the files that were read last
	failed time.Time  // when these could not be read; zero if they could
}

// version identifies the version of a file.
type version struct {
	changed time.Time
	size    int64
}

// lookEvery is the minimum time between two checks of the files.
const lookEvery = time.Second

// retryEvery is how often files that could not be read are read again: the reason, such as too many open files or the
// files' owner, may be gone without a change of the files.
const retryEvery = time.Minute

// New reads a certificate chain and its key, both in PEM.
func New(cert, key string, log *slog.Logger) (*Pair, error) {
	p := &Pair{cert: cert, key: key, log: log, now: time.Now}
	p.looked = p.now()
	p.seen = p.versions()
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("reading the certificate %s and its key %s: %w", cert, key, err)
	}
	p.pair = &pair
	return p, nil
}

// Config returns the TLS settings of a server: TLS 1.2 and above, HTTP/2 and HTTP/1.1.
func (p *Pair) Config() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		NextProtos:     []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return p.current(), nil },
	}
}

// current returns the pair in use, after reading the files if they have changed.
func (p *Pair) current() *tls.Certificate {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if now.Sub(p.looked) < lookEvery && !now.Before(p.looked) {
		return p.pair
	}
	p.looked = now
	seen := p.versions()
	known := seen == p.seen
	if known && (p.failed.IsZero() || now.Sub(p.failed) < retryEvery) {
		return p.pair
	}
	pair, err := tls.LoadX509KeyPair(p.cert, p.key)
	p.seen = seen
	if err != nil {
		if p.failed = now; !known {
			p.log.Error("the new certificate can't be used, and the old one stays", "certificate", p.cert, "key", p.key, "error", err)
		}
		return p.pair
	}
	p.pair, p.failed = &pair, time.Time{}
	p.log.Info("a new certificate is in use", "certificate", p.cert, "until", pair.Leaf.NotAfter.UTC().Format(time.RFC3339))
	return p.pair
}

// versions returns the times and sizes of both files, by which a new file is noticed.
func (p *Pair) versions() (out [2]version) {
	for i, path := range []string{p.cert, p.key} {
		if info, err := os.Stat(path); err == nil {
			out[i] = version{info.ModTime(), info.Size()}
		}
	}
	return out
}
