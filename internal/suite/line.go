package suite

import (
	"fmt"
	"strings"
)

// Line returns the n-th line of a robot for POST /batch: a sentence that it heard, of 12 triples and about 900
// bytes. If observed is set, the line has an observation for the resolver too.
func Line(n int, observed bool) string {
	words := strings.Fields("could you show me climate news hello where is the museum please open this door tell a story about dinosaurs today near station")
	text := make([]string, 3+n%7)
	for i := range text {
		text[i] = words[(n*7+i*n%11)%len(words)]
	}
	said, at := strings.Join(text, " "), fmt.Sprintf("2026-01-%02dT%02d:%02d:%02d.%03dZ", 1+n/86400, n/3600%24, n/60%60, n%60, n*37%1000)
	const base = "https://museum.example/robot/ari"
	line := fmt.Sprintf(`{"key":"ari-9f2c01-%d","graph":{"@context":"/context.jsonld","@graph":[`+
		`{"id":"%s/heard/9f2c01-%d","type":["LoggedActivity","ListeningEvent"],"wasPerformedBy":"%s","startedAtTime":"%s","label":"heard","usedMLModel":"%s/model/stt"},`+
		`{"id":"%s/message/9f2c01-%d","type":["Message","InitialMessage"],"text":"%s","sender":"https://museum.example/person/vol%d","wasGeneratedBy":"%s/heard/9f2c01-%d"}]}`,
		n, base, n, base, at, base, base, n, said, n%24, base, n)
	if observed {
		line += fmt.Sprintf(`,"observation":{"event_kind":"human_utterance","observed_at":"%s","modality":"speech","text":"%s","robot_uri":"%s","subject_uri":"https://museum.example/person/vol%d"},"about":"%s/heard/9f2c01-%d"`,
			at, said, base, n%24, base, n)
	}
	return line + "}\n"
}
