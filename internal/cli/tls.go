package cli

import (
	"crypto/tls"
	"log/slog"

	"github.com/segraph/segraph/internal/config"
	"github.com/segraph/segraph/internal/keypair"
)

// tlsConfig gives the TLS settings of both listeners, nil for plain HTTP.
func tlsConfig(c *config.Config, log *slog.Logger) (*tls.Config, error) {
	switch {
	case c.TLSCert == "" && c.TLSKey == "":
		return nil, nil
	case c.TLSCert == "" || c.TLSKey == "":
		return nil, &config.Error{Msg: "--tls-cert and --tls-key go together", Hint: "Give both, or none."}
	}
	pair, err := keypair.New(c.TLSCert, c.TLSKey, log)
	if err != nil {
		return nil, &config.Error{Msg: err.Error(), Hint: "Both are files in PEM; the certificate's may hold a whole chain, its own certificate first."}
	}
	return pair.Config(), nil
}
