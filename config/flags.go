package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// parseFlags splits a command line into flags and other arguments, in any order. A flag is
// --name value or --name=value, with one or two dashes; -- ends the flags. A lone - is an
// argument. Package flag stops at the first argument, so "load a.ttl --data b.db" would
// load three files.
func parseFlags(known []Setting, args []string) (flags map[string]string, rest []string, err error) {
	flags = map[string]string{}
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch {
		case arg == "--":
			return flags, append(rest, args...), nil
		case arg == "-h", arg == "--help", arg == "-help":
			return nil, nil, ErrHelp
		case arg == "-" || !strings.HasPrefix(arg, "-"):
			rest = append(rest, arg)
			continue
		}
		name, value, set := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
		s, err := flagOf(known, name)
		if err != nil {
			if name == "port" && !set && len(args) > 0 {
				value = args[0]
			}
			return nil, nil, portHint(err, known, name, value)
		}
		switch {
		case set: // value is what follows "="
		case s.Arg == "":
			value = "true"
		case len(args) == 0:
			return nil, nil, &Error{Msg: fmt.Sprintf("--%s needs a value", name), Hint: fmt.Sprintf("Write --%s %s.", name, s.Arg)}
		default:
			value, args = args[0], args[1:]
		}
		if before := flags[name]; s.List && before != "" {
			value = before + "," + value
		}
		flags[name] = value
	}
	return flags, rest, nil
}

// flagOf returns the flag with a name, or an error that suggests one.
func flagOf(known []Setting, name string) (Setting, error) {
	var names []string
	for _, s := range known {
		if s.Secret {
			if s.Name == name {
				return s, &Error{
					Msg:  fmt.Sprintf("there is no flag --%s, because other users can read command lines", name),
					Hint: fmt.Sprintf("Set the environment variable %s, or set %s_FILE to the path of a file that contains it.", s.Env, s.Env),
				}
			}
			continue
		}
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	e := &Error{Msg: fmt.Sprintf("unknown flag --%s", name)}
	if near := Nearest(name, names); near != "" && Similar(name, near) {
		e.Hint = fmt.Sprintf("Did you mean --%s?", near)
	}
	return Setting{}, e
}

// portHint changes the hint of an error about the flag --port, to what to write instead.
func portHint(err error, known []Setting, name, value string) error {
	e, ok := err.(*Error)
	has := func(name string) bool {
		return slices.ContainsFunc(known, func(s Setting) bool { return s.Name == name })
	}
	if !ok || name != "port" || !has("api") {
		return err
	}
	if _, err := strconv.ParseUint(value, 10, 16); err != nil {
		value = "5000"
	}
	e.Hint = fmt.Sprintf("Write --api :%s for the port of the API", value)
	if has("ui") {
		e.Hint += fmt.Sprintf(", or --ui :%s for that of the web UI", value)
	}
	e.Hint += "."
	return e
}
