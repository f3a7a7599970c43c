package front

import (
	"crypto/rand"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/segraph/segraph/internal/httpsig"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/log/journal"
)

// maxSignedCoded is the limit of a signed body with a Content-Encoding, in bytes as sent.
// It is held in memory until the request is stored.
const maxSignedCoded = 4 << 20

// signed is the signature of a request that is being answered.
type signed struct {
	journal.Signature
	digest *httpsig.Digest
	end    func() // gives back the memory of the body as received
}

// Signed verifies the signature of an admitted request, if its user must sign or did, before its body is
// read, and calls handle. If list is true, the signature is over a list, and handle checks it with
// ListedLines; otherwise Receive checks that the body is the signed one. If the answer is 401, it tells the
// client how to sign.
func (f *Front) Signed(w http.ResponseWriter, r *http.Request, list bool, handle func(http.ResponseWriter, *http.Request) error) error {
	requestOf(r).list = list
	err := f.verifySignature(r)
	if err == nil {
		if q := requestOf(r); q.signed != nil {
			defer func() { q.signed.end() }()
		}
		err = handle(w, r)
	}
	return f.askToSign(r, err)
}

// SignatureOf returns the verified signature of a request, or nil if it is not signed.
func SignatureOf(r *http.Request) *journal.Signature {
	if q := requestOf(r); q.signed != nil {
		return &q.signed.Signature
	}
	return nil
}

// verifySignature sets the signature of a request, if it has one.
func (f *Front) verifySignature(r *http.Request) error {
	q := requestOf(r)
	sent, err := httpsig.Parse(r.Header)
	if err != nil {
		return err
	}
	if sent == nil {
		return f.service.MaySend(q.Actor, nil)
	}
	key, err := f.service.SigningKey(r.Context(), sent.KeyID, q.Actor)
	if err != nil {
		return err
	}
	path, query := target(r)
	if plain, err := url.PathUnescape(path); err != nil || plain != path { // who verifies it later compares the path
		return NewProblem(http.StatusUnauthorized, "the path of a signed request may have no character as %%HH")
	}
	names := f.authorities(r)
	if len(names) == 0 {
		return NewProblem(http.StatusUnauthorized, "the signature can't be verified: this service does not know itself as %.200q; add the name to SEGRAPH_HOSTS", r.Host)
	}
	base, err := sent.Verify(key.Public, httpsig.Request{Method: r.Method, Path: path, Query: query, Header: r.Header, List: q.list, Authorities: names})
	if err == nil {
		err = f.service.CheckSigned(sent.Created)
	}
	if err != nil {
		return err
	}
	newDigest := httpsig.NewDigest
	if q.list {
		newDigest = httpsig.NewListDigest
	}
	digest, err := newDigest(r.Header)
	if err != nil {
		return err
	}
	q.signed = &signed{journal.Signature{KeyID: key.ID, Base: base, Value: sent.Value, Nonce: sent.Nonce, Created: sent.Created}, digest, func() {}}
	return nil
}

// ListedLines returns the lines of the body of a request that is signed over a list.
func (f *Front) ListedLines(r *http.Request, body []byte) ([]*journal.Listed, error) {
	all, err := journal.SplitListed(body)
	if err != nil {
		return nil, NewProblem(http.StatusBadRequest, "the body of a signed request must be a list: %v", err)
	}
	digest := requestOf(r).signed.digest
	_, _ = digest.Write(all[0].List) // never fails
	return all, digest.Check()
}

// askToSign adds headers to a 401 that tell a client how to sign: Accept-Signature and Date. It returns
// other errors as they are.
func (f *Front) askToSign(r *http.Request, err error) error {
	if err == nil {
		return nil
	}
	var refused *httpsig.Error
	if errors.As(err, &refused) {
		err = NewProblem(http.StatusUnauthorized, "%v", refused)
	}
	p := ProblemOf(err)
	if p.Status != http.StatusUnauthorized {
		return err
	}
	return p.With("WWW-Authenticate", "Bearer").With("Date", f.service.Config().Now().UTC().Format(http.TimeFormat)).
		With("Accept-Signature", httpsig.Accept(rand.Text(), requestOf(r).list, len(r.Header.Values("Content-Encoding")) > 0))
}

// target returns the path and the query of a request as the client sent them, even if
// BasePath was stripped since.
func target(r *http.Request) (path, query string) {
	uri := r.RequestURI
	if !strings.HasPrefix(uri, "/") { // the absolute form
		path = r.URL.EscapedPath()
		if path == "" {
			path = "/"
		}
		return path, r.URL.RawQuery
	}
	path, query, _ = strings.Cut(uri, "?")
	return path, query
}

// maxAuthorities limits how many names a proxy may report.
const maxAuthorities = 4

// authorities returns the values of @authority that a client may have signed: Host, and the
// original Host that a trusted proxy reports. Names of other servers are left out, so a
// signature for another server is not valid here.
func (f *Front) authorities(r *http.Request) (names []string) {
	for _, host := range f.requestedHosts(r) {
		host = strings.ToLower(host)
		if len(names) == maxAuthorities || !f.knownAs(host, r) {
			continue
		}
		names = append(names, host)
		if name, port, err := net.SplitHostPort(host); err == nil && (port == "80" || port == "443") {
			names = append(names, name) // clients leave out the default port
		}
	}
	return names
}

// knownAs reports whether host, with or without a port, is a name of this service: a
// configured one, or the address of the connection.
func (f *Front) knownAs(host string, r *http.Request) bool {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = strings.Trim(host, "[]"), "80"
		if r.TLS != nil {
			port = "443"
		}
	}
	known := func(own string) bool {
		own = strings.ToLower(own)
		return own == host || own == name // without a port it is known at all ports
	}
	if slices.ContainsFunc(f.config.Hosts, known) {
		return true
	}
	address, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if address == nil {
		return false
	}
	own, err := netip.ParseAddrPort(address.String())
	if err != nil || port != strconv.Itoa(int(own.Port())) {
		return false
	}
	if name == "localhost" {
		return own.Addr().IsLoopback()
	}
	return parseAddress(name) == own.Addr().Unmap().WithZone("")
}

// receiveSigned checks the body of a signed request, and keeps it as received if it has a
// Content-Encoding, until Signed returns.
func (f *Front) receiveSigned(r *http.Request, q *request, u *Upload) (*Upload, error) {
	if err := q.signed.digest.Check(); err != nil {
		return nil, errors.Join(err, u.Close())
	}
	if q.coding == "" {
		return u, nil
	}
	if u.Size > maxSignedCoded {
		return nil, errors.Join(refusal(service.TooLong(maxSignedCoded)), u.Close())
	}
	end, err := f.service.BeginSigned(r.Context(), u.Size)
	if err != nil {
		return nil, errors.Join(err, u.Close())
	}
	q.signed.end = end
	sent, err := u.Take()
	if err != nil {
		return nil, err
	}
	q.signed.Body = journal.PackBody(sent)
	return &Upload{head: sent, Size: u.Size}, nil
}

// KeepBody keeps the body of a signed request, so that its signature can be verified later.
// It does nothing if the request is not signed, or if the body with its Content-Encoding is
// kept already.
func KeepBody(r *http.Request, body []byte) {
	if q := requestOf(r); q.signed != nil && q.signed.Body == nil {
		q.signed.Body = journal.PackBody(body)
	}
}
