package config

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// environment holds the variables that are not empty.
type environment map[string]string

func variables(environ []string) environment {
	env := make(environment, len(environ))
	for _, line := range environ {
		if name, value, _ := strings.Cut(line, "="); value != "" {
			env[name] = value
		}
	}
	return env
}

// lookup returns the value of a variable, or the content of the file named by the
// variable with _FILE appended, without the final newline. origin is the variable that
// was used. An empty file is an error: if a secret fails to arrive, that must not turn
// authentication off.
func (env environment) lookup(name string) (value, origin string, err error) {
	value, file := env[name], env[name+"_FILE"]
	if file == "" {
		return value, name, nil
	}
	origin = name + "_FILE"
	if value != "" {
		return "", origin, &Error{Msg: fmt.Sprintf("%s and %s are both set", name, origin), Hint: "Set one of them."}
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return "", origin, &Error{Msg: fmt.Sprintf("%s: reading it: %v", origin, err), Hint: origin + " must be the path of a file that contains the value of " + name + "."}
	}
	value = strings.TrimSuffix(strings.TrimSuffix(string(content), "\n"), "\r")
	if value == "" {
		return "", origin, &Error{Msg: fmt.Sprintf("%s: %s is empty", origin, file), Hint: "Write the value of " + name + " into it, or unset " + origin + "."}
	}
	return value, origin, nil
}

// unknown returns an error if a variable has the prefix of a setting but is not one.
func (env environment) unknown() error {
	var known, strange []string
	for _, s := range Settings() {
		known = append(known, s.Env, s.Env+"_FILE")
	}
	for name := range env {
		ours := strings.HasPrefix(name, "SEGRAPH_") || strings.HasPrefix(name, "SHARED_CONTEXT_")
		if ours && !slices.Contains(known, name) {
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
	if near := Nearest(strange[0], known); Similar(unprefixed(strange[0]), unprefixed(near)) {
		e.Hint = fmt.Sprintf("Did you mean %s? Rename or unset the variable.", near)
	}
	return e
}

// unprefixed returns the name of a variable without the prefix of settings.
func unprefixed(name string) string {
	return strings.TrimPrefix(strings.TrimPrefix(name, "SEGRAPH_"), "SHARED_CONTEXT_")
}
