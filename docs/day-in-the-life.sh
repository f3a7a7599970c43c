#!/bin/sh
# A day in the life of three robots: observations are matched and reviewed, and a decision is undone,
# with a restart of the service between the steps. It needs only segraph and curl:
#
#     docs/day-in-the-life.sh            # with segraph in the PATH, or
#     SEGRAPH=./segraph docs/day-in-the-life.sh
#
# The service uses its own port, and a file in a folder that is removed at the end.
set -eu
segraph=${SEGRAPH:-segraph}
port=${PORT:-15000}
api=http://127.0.0.1:$port
folder=$(mktemp -d)
service=

begin() {
  "$segraph" serve --data "$folder/day.db" --api "127.0.0.1:$port" --ui 127.0.0.1:0 --log-level warning >"$folder/out" 2>"$folder/log" &
  service=$!
  until "$segraph" healthcheck --api "127.0.0.1:$port" >/dev/null 2>&1; do
    kill -0 "$service" 2>/dev/null || { cat "$folder/log" >&2; exit 1; }
    sleep 0.05
  done
}

end() {
  [ -z "$service" ] || { kill "$service" && wait "$service" || true; }
  service=
}

restart() { end; begin; }

trap 'end; rm -rf "$folder"' EXIT

# say prints a step; ask sends a request.
say() { printf '\n# %s\n' "$1"; }
ask() { curl -sS --fail-with-body -H 'Content-Type: application/json' "$@"; }

# member prints a member of an answer's first level. It cannot read texts with quotes.
member() { sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p"; }

# want prints a value, and ends the day if the value is not the expected one.
want() {
  [ "$2" = "$3" ] || { printf 'wanted %s to be %s, and it is %s\n' "$1" "$3" "$2" >&2; exit 1; }
  printf '%s: %s\n' "$1" "$2"
}

begin
say 'ARI hears Maria: a new event'
one=$(ask "$api/shared-context/resolve" -d '{
  "event_kind": "human_utterance", "observed_at": "2026-02-11T09:12:13.150Z", "modality": "speech",
  "subject_uri": "https://example.org/human/maria", "text": "Could you show me climate news?",
  "robot_uri": "https://example.org/robot/ari", "observation_uri": "https://example.org/ari/message/1"}')
event=$(echo "$one" | member shared_context_uri)
want outcome "$(echo "$one" | member outcome)" created

restart
say 'TIAGo hears her too, 0.8 s later by its clock: the same event'
two=$(ask "$api/shared-context/resolve" -d '{
  "event_kind": "human_utterance", "observed_at": "2026-02-11T09:12:13.950Z", "modality": "speech",
  "subject_uri": "https://example.org/human/maria", "text": "Could you show me climate news?",
  "robot_uri": "https://example.org/robot/tiago", "observation_uri": "https://example.org/tiago/message/1"}')
want outcome "$(echo "$two" | member outcome)" matched
want event "$(echo "$two" | member shared_context_uri)" "$event"

restart
say 'Pepper hears the same, but does not know the face: a case for review'
three=$(ask "$api/shared-context/resolve" -d '{
  "event_kind": "human_utterance", "observed_at": "2026-02-11T09:12:13.650Z", "modality": "speech",
  "text": "Could you show me climate news?",
  "robot_uri": "https://example.org/robot/pepper", "observation_uri": "https://example.org/pepper/message/1"}')
doubt=$(echo "$three" | member shared_context_uri)
case=$(echo "$three" | member case_id)
want outcome "$(echo "$three" | member outcome)" ambiguous
want why "$(echo "$three" | sed 's/"explanation".*//' | member reason)" subject_missing

restart
say 'The review queue'
queue=$(ask "$api/shared-context/review/pending?limit=10")
want pending "$(echo "$queue" | member pending_count)" 1
want case "$(echo "$queue" | sed 's/.*"pending_cases"://' | sed 's/"candidates".*//' | member case_id)" "$case"

restart
say 'A person accepts the case: it is the same event'
accepted=$(ask -X POST "$api/shared-context/review/$case/accept")
want status "$(echo "$accepted" | member status)" accepted
want event "$(echo "$accepted" | member resulting_context_uri)" "$event"

restart
say 'Pepper sends its observation again'
again=$(ask "$api/shared-context/resolve" -d '{
  "event_kind": "human_utterance", "observed_at": "2026-02-11T09:12:13.650Z", "modality": "speech",
  "text": "Could you show me climate news?",
  "robot_uri": "https://example.org/robot/pepper", "observation_uri": "https://example.org/pepper/message/1"}')
want event "$(echo "$again" | member shared_context_uri)" "$event"

restart
say 'The statistics'
stats=$(ask "$api/shared-context/stats")
want pending_reviews "$(echo "$stats" | member pending_reviews)" 0
want accepted_reviews "$(echo "$stats" | member accepted_reviews)" 1
want manual_merges "$(echo "$stats" | member manual_merges)" 1

restart
say 'How SPARQL sees it: the robots of the event'
ask "$api/query" -G --data-urlencode format=csv --data-urlencode "query=
  PREFIX sc: <urn:segraph:ns#> PREFIX prov: <http://www.w3.org/ns/prov#>
  SELECT ?robot ?at { GRAPH <urn:segraph:contexts> {
    ?observation prov:specializationOf/sc:mergedInto* <$event> ; sc:observedBy ?robot ; sc:observedAt ?at
  } } ORDER BY ?at"

restart
say 'It was not the same event: the person undoes the decision'
undone=$(ask -X POST "$api/shared-context/review/$case/undo")
want case_status "$(echo "$undone" | member case_status)" pending
want event "$(echo "$undone" | member source_context_uri)" "$doubt"

restart
want pending_reviews "$(ask "$api/shared-context/stats" | member pending_reviews)" 1
say 'The day is over.'
