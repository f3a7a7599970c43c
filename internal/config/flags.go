package config

import (
	"fmt"
	"strings"
)

// parseFlags splits a command line into flags and other arguments, in any order:
// --name value, --name=value (one dash is as good as two), and -- before what only
// looks like a flag. A lone - is an argument. Package flag is not used because it stops
// at the first argument, so that "load a.ttl --data b.db" would load three files.
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
		name, value, given := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
		s, err := flagOf(known, name)
		if err != nil {
			return nil, nil, err
		}
		switch {
		case given:
		case s.Arg == "":
			value = "true"
		case len(args) == 0:
			return nil, nil, &Error{Msg: fmt.Sprintf("--%s wants a value", name), Hint: fmt.Sprintf("Write --%s %s.", name, s.Arg)}
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

// flagOf finds a flag among those that a verb knows, or says which one may have been meant.
func flagOf(known []Setting, name string) (Setting, error) {
	var names []string
	for _, s := range known {
		if s.Secret {
			if s.Name == name {
				return s, &Error{
					Msg:  fmt.Sprintf("there is no flag --%s: command lines can be read by others", name),
					Hint: fmt.Sprintf("Set the environment variable %s, or %s_FILE to the path of a file that holds it.", s.Env, s.Env),
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
