package app

import (
	"context"
	"crypto/tls"
	"log/slog"
	"strings"

	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/internal/acme"
	"github.com/segraph/segraph/internal/keypair"
)

// tlsParts is what both listeners need for TLS.
type tlsParts struct {
	config  *tls.Config               // nil for plain HTTP
	prepare func(ctx context.Context) // to be called once the listeners serve
}

// tlsOf returns what TLS needs, nothing if it is not set: certificates of an ACME server or of files.
func tlsOf(c *config.Config, log *slog.Logger) (tlsParts, error) {
	nothing := func(context.Context) {}
	switch {
	case len(c.TLSACME) > 0 && (c.TLSCert != "" || c.TLSKey != ""):
		return tlsParts{}, &config.Error{Msg: "--tls-acme and --tls-cert exclude each other", Hint: "Use one of them: certificates from an ACME server, or from a file."}
	case len(c.TLSACME) > 0:
		for _, host := range c.TLSACME {
			if !strings.Contains(strings.Trim(host, "."), ".") {
				return tlsParts{}, &config.Error{Msg: "--tls-acme: an ACME server certifies only names with a dot, not " + host, Hint: "Use names such as graph.example.org."}
			}
		}
		issuer, err := acme.New(c.TLSACME, c.TLSACMEURL, c.Data+".acme", log)
		if err != nil {
			return tlsParts{}, err
		}
		return tlsParts{issuer.Config(), issuer.Prepare}, nil
	case c.TLSCert == "" && c.TLSKey == "":
		return tlsParts{nil, nothing}, nil
	case c.TLSCert == "" || c.TLSKey == "":
		return tlsParts{}, &config.Error{Msg: "--tls-cert and --tls-key go together", Hint: "Set both, or none."}
	}
	pair, err := keypair.New(c.TLSCert, c.TLSKey, log)
	if err != nil {
		return tlsParts{}, &config.Error{Msg: err.Error(), Hint: "Both must be PEM files. The certificate file may hold a chain, its own certificate first."}
	}
	return tlsParts{pair.Config(), nothing}, nil
}
