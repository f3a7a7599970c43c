"""Calls everything of SEGB's package, with the same ids each time. With the package itself, as in

    python scenario.py semantic_log_generator > golden.jsonl

it writes what the tests of the drop-in expect: its triples, and the signatures of its names.
"""
import datetime
import importlib
import inspect
import itertools
import json
import re
import sys
import uuid
from unittest import mock

ZONE = datetime.timezone(datetime.timedelta(hours=2))
NOW = datetime.datetime(2026, 2, 10, 12, 0, 0, 250000, datetime.timezone.utc)


def play(package, **settings):
    """Logs a scene and returns the logger."""
    numbers = itertools.count(1)
    with mock.patch("uuid.uuid4", lambda: uuid.UUID(int=next(numbers))):
        return scene(importlib.import_module(package), settings)


def scene(m, settings):
    asked = []

    def resolver(request):
        asked.append(request)
        return "https://events.example/1" if request.event_kind == "resolved" else None

    log = m.SemanticSEGBLogger(base_namespace="https://example.org/ari", robot_id="Ari 1", robot_name="ARI",
                               namespace_prefix="1 Robot!", shared_event_resolver=resolver,
                               shared_event_policy=m.SharedEventPolicy(time_bucket_seconds=2), **settings)
    human = log.register_human("María", first_name="María", homepage="https://maria.example/")
    log.register_robot(owner=human)
    model = log.register_ml_model("m 1", label="Model", version="2", provider="Example Labs", endpoint="local",
                                  comment="good", characteristics={"size": 7, "fast": True, "loss": 0.5})
    log.register_ml_model("m2", provider="https://labs.example/", endpoint="https://m2.example/")
    data = log.register_dataset("d", label="Data", comment="all")
    score = log.register_model_evaluation("e", value=1, label="Score", comment="ok")
    event = log.resolve_shared_event(event_kind="human_utterance", observed_at=NOW, subject=human, text=" Hello  You ",
                                     modality="Speech", event_types=["oro:X"])
    log.get_shared_event_uri(event_kind="resolved", observed_at=NOW.astimezone(ZONE), subject="someone", text="x",
                             modality="vision", event_id="Id 7", shared_event_namespace="https://events.example")
    log.get_shared_event_uri(event_kind="other", observed_at=NOW.replace(tzinfo=None), time_bucket_seconds=60)
    log.resolve_shared_event(event_kind="k", observed_at=NOW, event_id="!", shared_event_namespace="https://e.example#")
    listening = log.log_activity(activity_id="listen", activity_kind=m.ActivityKind.LISTENING, label="listens",
                                 started_at=NOW, ended_at=NOW.astimezone(ZONE), related_shared_events=[event],
                                 used_models=[model], performer=human)
    log.log_activity(activity_id="listen", activity_kind="listening", started_at=NOW)
    message = log.log_message('Hello "you"\n', message_id="m", language="es", message_types=["oro:InitialMessage"],
                              generated_by_activity=listening, sender=human)
    decision = log.log_activity(
        activity_kind="DECISION", extra_types=["segb:Thing", "oro:DecisionMakingAction"], used_entities=["d"],
        triggered_by_activity=listening, triggered_by_entity=message, triggered_by_entities=["a", "b"],
        intermediate_activities=["c"], produced_entity_results=["e"], produced_activity_results=["f"], model_usages=[
            m.ModelUsage(model), m.ModelUsage("m3", {"top k": 5, "t": 0.2, "on": False, "s": "x", "at": NOW},
                                              software_label="Soft", software_version="1"),
            m.ModelUsage("m4", implementation="impl"), m.ModelUsage("m5", software_version="3")])
    log.log_message("Bye", previous_message=message)
    run = log.log_activity(activity_id="run", activity_kind="ml-run")
    log.link_ml_run_input(run, data)
    log.link_ml_run_output(run, score)
    for kind in "response", "emotion_recognition", "human_detection", "emotion_analysis":
        log.log_activity(activity_id=kind, activity_kind=kind)
    for category in m.EmotionCategory.HAPPINESS, "Angry", "big6_fear", "https://e.example/x", "segb:bored", "DISGUST":
        log.log_emotion_annotation(source_activity="analysis", targets=[human, log.robot_uri],
                                   emotions=[m.EmotionScore(category, 0.75, 1), m.EmotionScore("sad", 1)])
    log.log_emotion_annotation(source_activity="analysis", targets=(), emotions=[m.EmotionScore("sad", 0)],
                               annotation_id="one", emotion_model="segb:model")
    log.log_robot_state(m.RobotStateSnapshot(NOW, 0.5, "auto", "guide", 73, 0, "ok", "hall", "fine",
                                             {"temperature": 30.5, "n": 2, "s": "t", "on": True}),
                        state_id="s", source_activity=decision)
    log.log_robot_state(m.RobotStateSnapshot(NOW, location="https://hall.example/"))
    seen = log.log_observation(observation_id="o", label="seen", observation_types=["sosa:Observation"],
                               generated_by_activity="look", related_shared_event=event, confidence=0.9,
                               mark_as_result=True)
    log.log_observation()
    log.link_triggered_activity(decision, "x")
    log.link_triggered_entity(decision, "y")
    log.link_intermediate_activity(decision, "z")
    log.link_influence(decision, "https://w.example/")
    log.link_entity_result(decision, "r")
    log.link_activity_model(decision, "m6")
    log.link_observation_to_shared_event(seen, "ev", confidence=1)
    log.link_activity_to_shared_event(decision, "ev")
    log.resource_uri("kind", "!?")
    return log


def triples(log):
    """The triples of a logger's graph, sorted, with prefixes."""
    def short(term):
        text = "" if term is None else re.sub("0{24,}", "", str(term))
        for prefix, namespace in log.prefixes.items():
            if text.startswith(str(namespace)):
                return prefix + ":" + text[len(str(namespace)):]
        return text

    return sorted([short(s), short(p), short(o), short(getattr(o, "datatype", "")), getattr(o, "language", "") or ""]
                  for s, p, o in log.graph)


def names(package):
    """What the package has, with the arguments of each function and their defaults, without types."""
    m, found = importlib.import_module(package), {}

    def note(name, value):
        if inspect.isclass(value) and issubclass(value, str):
            found[name] = [[member.name, member.value] for member in value]
        elif callable(value):
            found[name] = [[p.name, p.kind.name, "" if p.default is p.empty else str(p.default)]
                           for p in inspect.signature(value).parameters.values() if "factory" not in repr(p.default)]

    for name in m.__all__:
        value = getattr(m, name)
        note(name, value)
        for member in dir(value) if inspect.isclass(value) and not issubclass(value, str) else ():
            if not member.startswith("_"):
                note("%s.%s" % (name, member), getattr(value, member))
    namespaces = importlib.import_module(package + ".namespaces")
    prefixes = namespaces.DEFAULT_PREFIXES
    found["namespaces"] = sorted([n, str(prefixes.get(n.lower(), ""))] for n in dir(namespaces) if n.isupper())
    return found


SETTINGS = [{}, {"compact_resource_ids": True, "emit_prov_redundant": False, "strict_result_typing": True,
                 "default_language": "es"}]

if __name__ == "__main__":
    print(json.dumps({"names": names(sys.argv[1])}))
    for number, setting in enumerate(SETTINGS):
        for triple in triples(play(sys.argv[1], **setting)):
            print(json.dumps([number] + triple, ensure_ascii=False))
