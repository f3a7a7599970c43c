package cli

import (
	"context"
	"crypto/tls"
	"log/slog"
	"strings"

	"github.com/segraph/segraph/internal/acme"
	"github.com/segraph/segraph/internal/config"
	"github.com/segraph/segraph/internal/keypair"
)

// tlsConfig returns the TLS settings of both listeners, nil for plain HTTP, and what is
// to be done once they serve.
func tlsConfig(c *config.Config, log *slog.Logger) (secure *tls.Config, prepare func(context.Context), err error) {
	nothing := func(context.Context) {}
	switch {
	case len(c.TLSACME) > 0 && (c.TLSCert != "" || c.TLSKey != ""):
		return nil, nil, &config.Error{Msg: "--tls-acme and --tls-cert exclude each other", Hint: "Give one of the two: where certificates come from, or a file."}
	case len(c.TLSACME) > 0:
		for _, host := range c.TLSACME {
			if !strings.Contains(strings.Trim(host, "."), ".") {
				return nil, nil, &config.Error{Msg: "--tls-acme: an ACME server certifies no name without a dot, such as " + host, Hint: "Give names such as graph.example.org."}
			}
		}
		issuer, err := acme.New(c.TLSACME, c.TLSACMEURL, c.Data+".acme", log)
		if err != nil {
			return nil, nil, err
		}
		return issuer.Config(), issuer.Prepare, nil
	case c.TLSCert == "" && c.TLSKey == "":
		return nil, nothing, nil
	case c.TLSCert == "" || c.TLSKey == "":
		return nil, nil, &config.Error{Msg: "--tls-cert and --tls-key go together", Hint: "Give both, or none."}
	}
	pair, err := keypair.New(c.TLSCert, c.TLSKey, log)
	if err != nil {
		return nil, nil, &config.Error{Msg: err.Error(), Hint: "Both are files in PEM; the certificate's may hold a whole chain, its own certificate first."}
	}
	return pair.Config(), nothing, nil
}
