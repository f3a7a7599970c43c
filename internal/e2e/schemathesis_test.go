package e2e

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// Schemathesis makes requests from the OpenAPI document, valid and invalid ones, and compares the answers with it. The
// demo accepts what fits the document, and refuses what does not and what has no token. Without authentication, which
// changes no other refusal, only valid requests are made. The seed is fixed, so that a run can be repeated.
func TestTheServiceDoesWhatItsOpenAPIDocumentSays(t *testing.T) {
	suite.OneGoroutine(t) // one request at a time
	t.Parallel()
	program := client(t, "venv", "bin", "st")
	folder, err := filepath.Abs(filepath.Join("testdata", "schemathesis"))
	if err != nil {
		t.Fatal(err)
	}
	for name, env := range map[string][]string{"without authentication": nil, "with authentication": {"SECRET_KEY=" + secret}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startDemo(t, t.TempDir(), env...)
			run := func(args ...string) {
				if env != nil {
					args = append(args, "--header", "Authorization: Bearer "+issue(t, "admin,logger,auditor"))
				}
				cmd := exec.Command(program, append([]string{"--config-file", filepath.Join(folder, "schemathesis.toml"),
					"run", s.api + "/openapi.json", "--seed", "1", "--no-color"}, args...)...)
				cmd.Dir, cmd.Env = t.TempDir(), append(environ(), "SCHEMATHESIS_HOOKS="+filepath.Join(folder, "hooks.py")) // it keeps a cache
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%v\n%s", err, out)
				}
			}
			if env == nil {
				run("--phases", "examples,stateful", "--max-examples", "25", "--exclude-operation-id", "deleteAll")
				return
			}
			// First along the links, because the other phases delete everything: of all operations, and often of those with most links.
			run("--phases", "stateful", "--max-examples", "25", "--exclude-operation-id", "deleteAll")
			run("--phases", "stateful", "--max-examples", "25", "--include-path-regex", "^/(ttl|logs|shared-context|admin/keys)", "--exclude-operation-id", "deleteAll")
			run("--phases", "examples,coverage,fuzzing", "--max-examples", "10")
			reached(t, s.stderr.String())
		})
	}
}

// reached checks that requests about resources that links lead to were successful, by the service's log.
func reached(t *testing.T, log string) {
	t.Helper()
	for _, want := range []string{
		`GET path=/logs/[0-9a-f-]{36}`, `GET path=/logs/[0-9a-f-]{36}/receipt`, `GET path=/shared-context/contexts`,
		`POST path=/shared-context/review/review_[0-9a-f]+/(accept|reject)`, `POST path=/admin/keys/[^/ ]+/remove`,
	} {
		if !regexp.MustCompile("request method=" + want + " status=200 ").MatchString(log) {
			t.Errorf("Schemathesis did not reach %s", want)
		}
	}
}
