package service

import (
	"bytes"
	"unicode/utf8"

	"github.com/segraph/segraph/internal/semcheck"
	"github.com/segraph/segraph/store/turtle"
)

// CurlData says how to send a file with curl as it is.
const CurlData = "curl's -d takes what begins with @ as the name of a file, and drops line breaks; send a file with --data-binary @file"

// swallowed returns a warning if the body is Turtle or N-Triples of one line with a comment, or
// nil. curl's -d drops line breaks: then a comment hides all statements that followed it.
func (p Publication) swallowed() *semcheck.Issue {
	if !p.Raw || p.Format != turtle.Turtle && p.Format != turtle.NTriples {
		return nil
	}
	line := bytes.TrimRight(p.Content, "\r\n")
	if bytes.ContainsAny(line, "\r\n") {
		return nil
	}
	at := commentIn(line)
	if at < 0 {
		return nil
	}
	first, column := 1, utf8.RuneCount(line[:at])+1
	return &semcheck.Issue{
		Severity: semcheck.Warning, Code: semcheck.OneLineComment, Line: &first, Column: &column,
		Message: "The body is one line, and all that follows this # is a comment: " + CurlData + ".",
	}
}

// commentIn returns the offset of the first # of a line that is outside of IRIs and strings, or
// -1. Its statements need not be complete: those after the # are not.
func commentIn(line []byte) int {
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case '#':
			return i
		case '\\': // in the local part of a name
			i++
		case '<':
			if i+1 < len(line) && line[i+1] == '<' { // a triple term or a reified triple
				i++
				continue
			}
			end := bytes.IndexByte(line[i:], '>')
			if end < 0 {
				return -1
			}
			i += end
		case '"', '\'':
			quote := line[i : i+1]
			if long := bytes.Repeat(quote, 3); bytes.HasPrefix(line[i:], long) {
				quote = long
			} else if bytes.HasPrefix(line[i:], long[:2]) { // an empty string
				i++
				continue
			}
			for i += len(quote); i < len(line) && !bytes.HasPrefix(line[i:], quote); i++ {
				if line[i] == '\\' {
					i++
				}
			}
			i += len(quote) - 1
		}
	}
	return -1
}
