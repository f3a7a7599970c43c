package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/store/log/journal"
)

func keyVerb() verb {
	return verb{
		name:    "key",
		args:    "add USER FILE|list|remove KEYID",
		summary: "Manage the keys with which robots sign requests.",
		detail: `"segraph key add" adds a user's Ed25519 public key from FILE, in PEM, and prints the keyid that the
user's signatures must have. If FILE is -, it reads stdin. "segraph key list" lists the keys. "segraph
key remove" makes a key invalid for good. What it signed before can still be verified.

They ask the service at --url, with an admin's token or, without one, a one-minute token signed with
SECRET_KEY. Without --url they use the file, which no service may be using.`,
		settings: []string{"data", "url", "token-file", "token", "secret-key", "secret-key-previous", "allow-short-secret"},
		run:      runKey,
	}
}

func runKey(ctx context.Context, p *program, c *config.Config) error {
	switch {
	case len(c.Args) == 3 && c.Args[0] == "add":
		return addKey(ctx, p, c, c.Args[1], c.Args[2])
	case len(c.Args) == 1 && c.Args[0] == "list":
		return listKeys(ctx, p, c)
	case len(c.Args) == 2 && c.Args[0] == "remove":
		return removeKey(ctx, p, c, c.Args[1])
	}
	return &config.Error{Msg: "key has three subcommands: add, list and remove", Hint: "Write `segraph key add USER FILE`, `segraph key list` or `segraph key remove KEYID`."}
}

// maxKeyFile limits the size of a key file, in bytes.
const maxKeyFile = 16 << 10

// addKey adds the public key in the file at path for a user, and prints its id.
func addKey(ctx context.Context, p *program, c *config.Config, user, path string) error {
	text, err := readKey(p, path)
	if err != nil {
		return err
	}
	public, err := journal.ParsePublicKey(text)
	if err != nil {
		return &config.Error{Msg: fmt.Sprintf("%s: %v", path, err), Hint: "See `segraph key -h`."}
	}
	if err := auth.CheckName(user); err != nil || strings.TrimSpace(user) == "" {
		return &config.Error{Msg: fmt.Sprintf("%.100q can't be a user", user), Hint: "Give the user's name as in their tokens."}
	}
	body := map[string]string{"user": user, "public_key": string(text)}
	err = callJSON(ctx, c, http.MethodPost, "/admin/keys", body, http.StatusCreated, &struct{}{})
	if err == nil {
		_, err = fmt.Fprintln(p.stdout, journal.IDOf(public))
	}
	return err
}

// readKey reads the file at path, or stdin if that is "-": at most maxKeyFile bytes.
func readKey(p *program, path string) (text []byte, err error) {
	in := p.stdin
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("reading the key: %w", err)
		}
		defer file.Close()
		in = file
	}
	if text, err = io.ReadAll(io.LimitReader(in, maxKeyFile)); err != nil {
		return nil, fmt.Errorf("reading the key: %w", err)
	}
	return text, nil
}

// listKeys prints all keys, also the removed ones.
func listKeys(ctx context.Context, p *program, c *config.Config) error {
	var list struct {
		Keys []struct {
			ID      string `json:"key_id"`
			User    string
			Added   time.Time
			AddedBy string `json:"added_by"`
			Removed time.Time
		}
	}
	if err := callJSON(ctx, c, http.MethodGet, "/admin/keys", nil, http.StatusOK, &list); err != nil {
		return err
	}
	var b strings.Builder
	for _, k := range list.Keys {
		fmt.Fprintf(&b, "%s of %s, added by %s at %s", printable(k.ID), printable(k.User), printable(k.AddedBy), k.Added.Format(time.RFC3339))
		if !k.Removed.IsZero() {
			fmt.Fprintf(&b, ", removed at %s", k.Removed.Format(time.RFC3339))
		}
		b.WriteByte('\n')
	}
	if b.Len() == 0 {
		b.WriteString("there are no keys\n")
	}
	_, err := io.WriteString(p.stdout, b.String())
	return err
}

func removeKey(ctx context.Context, p *program, c *config.Config, id string) error {
	key, ok := journal.ParseKeyID(id)
	if !ok {
		return &config.Error{Msg: fmt.Sprintf("%.100q is not a keyid", id), Hint: "Take it from `segraph key list`."}
	}
	err := callJSON(ctx, c, http.MethodPost, "/admin/keys/"+key.String()+"/remove", struct{}{}, http.StatusOK, &struct{}{})
	if err == nil {
		_, err = fmt.Fprintf(p.stdout, "the key %s was removed\n", key)
	}
	return err
}
