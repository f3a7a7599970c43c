# robot.py reports a sentence that a robot heard. It needs Python 3 and nothing else.
import datetime, json, os, urllib.request

API = "@API@"
ROBOT, PERSON = "https://example.org/robot/rio", "https://example.org/human/ana"

def post(path, kind, body):
    request = urllib.request.Request(API + path, body.encode(), {"Content-Type": kind})
    if os.environ.get("TOKEN"):
        request.add_header("Authorization", "Bearer " + os.environ["TOKEN"])
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)

def report(text):
    now = datetime.datetime.now(datetime.timezone.utc)
    heard = "https://example.org/rio/heard-" + now.strftime("%Y%m%dT%H%M%S%f")
    # Which event is it? Another robot may have heard it too.
    event = post("/shared-context/resolve", "application/json", json.dumps({
        "event_kind": "human_utterance", "observed_at": now.isoformat(), "modality": "speech", "text": text,
        "subject_uri": PERSON, "robot_uri": ROBOT, "observation_uri": heard}))["shared_context_uri"]
    words = json.dumps(text, ensure_ascii=False)
    return post("/ttl?user=rio", "text/turtle", f"""
        @prefix oro: <http://kb.openrobots.org#> . @prefix prov: <http://www.w3.org/ns/prov#> .
        @prefix schema: <http://schema.org/> . @prefix segb: <http://www.gsi.upm.es/ontologies/segb/ns#> .
        @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
        <{ROBOT}> a oro:Robot ; schema:name "Rio" .
        <{PERSON}> a oro:Human ; schema:name "Ana" .
        <{event}> a schema:Event ; schema:about <{PERSON}> ; schema:description {words} .
        <{heard}> a oro:ListeningEvent, segb:LoggedActivity ; segb:wasPerformedBy <{ROBOT}> ;
            prov:startedAtTime "{now.isoformat()}"^^xsd:dateTime ; schema:about <{event}> .
        <{heard}-message> a schema:Message ; schema:text {words} ; schema:sender <{PERSON}> ;
            prov:wasGeneratedBy <{heard}> .""")["log_id"]

if __name__ == "__main__":
    print("stored as log", report("Good morning, Rio!"))
