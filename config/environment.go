package config

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// environment holds the variables that are not empty.
type environment map[string]string

// variables returns the variables of lines NAME=VALUE. An empty value counts as none.
func variables(environ []string) environment {
	env := make(environment, len(environ))
	for _, line := range environ {
		if name, value, _ := strings.Cut(line, "="); value != "" {
			env[name] = value
		}
	}
	return env
}

// lookup returns the value of a variable or, without the final newline, the content of the
// file named by the variable with _FILE appended. origin is the variable that was used. An
// empty file is an error: a secret that fails to arrive must not turn authentication off.
func (env environment) lookup(name string) (value, origin string, err error) {
	value, file := env[name], env[name+"_FILE"]
	if file == "" {
		return value, name, nil
	}
	origin = name + "_FILE"
	if value != "" {
		return "", origin, &Error{Msg: fmt.Sprintf("%s and %s are both set", name, origin), Hint: "Set one of them."}
	}
	if value, err = readSecret(file); err != nil {
		return "", origin, &Error{Msg: fmt.Sprintf("%s: %v", origin, err), Hint: origin + " must be the path of a file that contains the value of " + name + "."}
	}
	return value, origin, nil
}

// readSecret returns the content of a file without the final newline. An empty file is an
// error.
func readSecret(path string) (string, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("reading it: %w", err)
	}
	value := strings.TrimSuffix(strings.TrimSuffix(string(content), "\n"), "\r")
	if value == "" {
		return "", fmt.Errorf("%s is empty", path)
	}
	return value, nil
}

// ours matches variables that are settings or misspelt ones. A misspelt SECRET_KEY would turn authentication off.
var ours = regexp.MustCompile(`^(SEGRAPH_|SHARED_CONTEXT_|SECRET_?KEY|TRIPLESTORE_PASS)`)

// unknown returns an error if a variable begins like a setting but is not one.
func (env environment) unknown() error {
	known := []string{"SEGRAPH_ROBOT", "SEGRAPH_QUEUE"} // settings of robots' clients
	for _, s := range Settings() {
		if s.Env != "" {
			known = append(known, s.Env, s.Env+"_FILE")
		}
	}
	var strange []string
	for name, value := range env {
		if ours.MatchString(name) && !slices.Contains(known, name) && !injected(name, value) {
			strange = append(strange, name)
		}
	}
	if len(strange) == 0 {
		return nil
	}
	slices.Sort(strange) // for a stable message
	e := &Error{
		Msg:  fmt.Sprintf("the environment variable %s is not a setting of segraph", strange[0]),
		Hint: "Unset it. `segraph config` lists the settings.",
	}
	if meant := meantBy(strange[0]); meant != "" {
		e.Hint = fmt.Sprintf("Did you mean %s? Rename or unset the variable.", meant)
	}
	return e
}

// injected reports whether Kubernetes sets a variable in each container, for a Service
// whose name is segraph or begins with segraph-.
func injected(name, value string) bool {
	return ofService.MatchString(name) || strings.HasSuffix(name, "_PORT") && strings.Contains(value, "://") // such as tcp://10.0.0.1:5000
}

var ofService = regexp.MustCompile(`^SEGRAPH_(.*_)?(SERVICE_(HOST|PORT(_.+)?)|PORT_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$`)

// guesses has names that people try, and the settings that they mean.
var guesses = map[string]string{
	"KEY":        "SECRET_KEY",
	"SECRET":     "SECRET_KEY",
	"JWT_KEY":    "SECRET_KEY",
	"JWT_SECRET": "SECRET_KEY",
	"LOG":        "SEGRAPH_LOG_LEVEL",
	"PORT":       "SEGRAPH_API",
	"API_PORT":   "SEGRAPH_API",
	"UI_PORT":    "SEGRAPH_UI",
	"DB":         "SEGRAPH_DATA",
	"FILE":       "SEGRAPH_DATA",
}

// meantBy returns the variable that an unknown one may stand for, or "".
func meantBy(name string) string {
	name, file := strings.CutSuffix(unprefixed(name), "_FILE")
	suffix := ""
	if file {
		suffix = "_FILE"
	}
	if meant, ok := guesses[name]; ok {
		return meant + suffix
	}
	variables := map[string]string{}
	var names []string
	for _, s := range Settings() {
		if s.Env != "" {
			variables[unprefixed(s.Env)] = s.Env
			names = append(names, unprefixed(s.Env))
		}
	}
	if near := Nearest(name, names); Similar(name, near) {
		return variables[near] + suffix
	}
	return ""
}

// unprefixed returns the name of a variable without the prefix of settings.
func unprefixed(name string) string {
	return strings.TrimPrefix(strings.TrimPrefix(name, "SEGRAPH_"), "SHARED_CONTEXT_")
}
