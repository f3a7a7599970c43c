package translog

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/segraph/segraph/store/engine/file"
)

// ParseKey reads an Ed25519 private key in PEM (PKCS #8), as made by
// `openssl genpkey -algorithm ed25519`.
func ParseKey(text []byte) (ed25519.PrivateKey, error) {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "PRIVATE KEY" {
		return nil, errors.New("the signing key is not a private key in PEM; make one with: openssl genpkey -algorithm ed25519")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("reading the signing key: %w", err)
	}
	private, ok := key.(ed25519.PrivateKey)
	if !ok {
		return nil, errors.New("the signing key is not an Ed25519 key; make one with: openssl genpkey -algorithm ed25519")
	}
	return private, nil
}

// read reads the key in a file.
func read(path string) (ed25519.PrivateKey, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the signing key: %w", err)
	}
	key, err := ParseKey(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return key, nil
}

// keyIn returns the key in a file. If there is none, it makes one that only the file's
// owner can read.
func keyIn(path string) (ed25519.PrivateKey, error) {
	key, err := read(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	_, key, err = ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making a signing key: %w", err)
	}
	return key, write(path, key)
}

// write writes a key to a file, in PEM.
func write(path string, key ed25519.PrivateKey) error {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err == nil {
		err = file.WriteSecret(path, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	}
	if err != nil {
		return fmt.Errorf("writing the signing key: %w", err)
	}
	return nil
}

// signerOf returns the signer of a log's notes and its verifier key.
func signerOf(origin string, key ed25519.PrivateKey) (signer note.Signer, verifierKey string, err error) {
	public, err := note.NewEd25519VerifierKey(origin, key.Public().(ed25519.PublicKey))
	if err != nil {
		return nil, "", fmt.Errorf("naming the signing key: %w", err)
	}
	hash := strings.Split(public, "+")[1]
	const ed25519Note = 1 // signature type of signed notes
	private := "PRIVATE+KEY+" + origin + "+" + hash + "+" + base64.StdEncoding.EncodeToString(append([]byte{ed25519Note}, key.Seed()...))
	signer, err = note.NewSigner(private)
	if err != nil {
		return nil, "", fmt.Errorf("using the signing key: %w", err)
	}
	return signer, public, nil
}
