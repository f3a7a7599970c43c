package forgotten

import (
	"crypto/aes"
	"crypto/cipher"
)

// Seal encrypts a text for a use with a key that is beside the store and in no backup. The list must not be empty.
func (l *List) Seal(use, text []byte) []byte { return l.aead().Seal(nil, nil, text, use) }

// Unseal returns a text that Seal encrypted for a use, and whether it could be read.
func (l *List) Unseal(use, sealed []byte) (text []byte, ok bool) {
	text, err := l.aead().Open(nil, nil, sealed, use)
	return text, err == nil
}

// aead returns the cipher of a key that is derived from the secret. It puts a random nonce before each text.
func (l *List) aead() cipher.AEAD {
	l.mu.RLock()
	key := l.sum("seal") // no IRI, because it has no colon
	l.mu.RUnlock()
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic(err) // the key has 32 bytes
	}
	gcm, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // the block has 16 bytes
	}
	return gcm
}
