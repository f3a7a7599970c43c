"""What the calls log."""
import datetime
import gzip
import json
import math
import os
import re
import sys
import unittest
from unittest import mock

from base import Case
from segraph import Client, Entity, Percent, Ref, _queue
from service import nodes

BASE = "https://museum.example/"
ROBOT = BASE + "robot/iris"


class TestCalls(Case):
    def setUp(self):
        super().setUp()
        self.robot = self.client(name="Iris")

    def last(self, count=1):
        """The newest lines, by the kind in their key."""
        self.assertTrue(self.robot.flush(20))
        return self.service.lines[-count:]

    def test_the_robot_comes_first(self):
        self.assertEqual(self.last()[0]["graph"], {"@context": "/context.jsonld", "@graph": [
            {"id": ROBOT, "type": "Robot", "name": "Iris"}]})

    def test_a_conversation(self):
        heard = self.robot.heard("¿Dónde está el café?", by="maria", confidence=0.9, language="es", model="whisper",
                                 at=1.5, until=2.25, place="hall")
        choice = self.robot.decided("guide", why="she asked", args={"to": "café"}, options=["guide", "wait"],
                                    because=heard)
        said = self.robot.said("¡Sígame!", "maria", answers=heard, because=[choice], language="es")
        choice.done(at=3)
        one, two, three, four = self.last(4)
        self.assertEqual(nodes(one), [
            {"id": heard, "type": ["LoggedActivity", "ListeningEvent"], "label": "heard",
             "wasPerformedBy": ROBOT, "startedAtTime": "1970-01-01T00:00:01.500000Z",
             "endedAtTime": "1970-01-01T00:00:02.250000Z", "usedMLModel": BASE + "model/whisper",
             "atLocation": BASE + "place/hall"},
            {"id": heard + "#message", "type": ["Message", "InitialMessage"], "wasGeneratedBy": heard,
             "text": {"@value": "¿Dónde está el café?", "@language": "es"}, "sender": BASE + "person/maria",
             "additionalProperty": [{"id": heard + "#message-confidence", "type": "PropertyValue",
                                     "propertyID": "confidence", "value": 0.9}]}])
        self.assertEqual(one["about"], heard)
        self.assertEqual(one["observation"], {
            "event_kind": "human_utterance", "observed_at": "1970-01-01T00:00:01.500000Z", "modality": "speech",
            "robot_uri": ROBOT, "observation_uri": heard, "subject_uri": BASE + "person/maria",
            "text": "¿Dónde está el café?", "location_uri": BASE + "place/hall"})
        values = {v["propertyID"]: v["value"] for v in nodes(two)[0]["additionalProperty"]}
        self.assertEqual(values, {"why": "she asked", "args": '{"to":"café"}', "option1": "guide", "option2": "wait"})
        self.assertEqual(nodes(two)[0]["triggeredByActivity"], [heard])
        self.assertEqual(nodes(three)[0]["triggeredByActivity"], [choice, heard])
        self.assertEqual(nodes(three)[1]["wasDerivedFrom"], heard.message)
        self.assertEqual(nodes(three)[1]["sender"], ROBOT)
        self.assertEqual(said.message, said + "#message")
        self.assertNotIn("observation", three)
        self.assertEqual(nodes(four), [{"id": choice, "endedAtTime": "1970-01-01T00:00:03.000000Z",
                                        "schema:actionStatus": {"id": "schema:CompletedActionStatus"}}])

    def test_only_what_is_written_elsewhere_is_cut(self):
        long = "é" * 2000
        self.robot.problem(long)
        self.robot.decided(long)
        self.robot.said(long)
        self.assertEqual([len(nodes(line)[0]["label"]) for line in self.last(3)], [2000, 2000, 80])

    def test_a_language_may_be_a_locale(self):
        for language, want in ("es_ES", "es-ES"), ("en-GB", "en-GB"), ("Spanish, I think", None), ("", None):
            self.robot.heard("Hola", language=language)
            text = nodes(self.last()[0])[1]["text"]
            self.assertEqual(text, {"@value": "Hola", "@language": want} if want else "Hola")

    def test_a_sentence_with_an_iri_is_none(self):
        with self.assertRaises(ValueError):
            self.robot.decided("wait", because="see http://x for why")
        self.robot.state(place="by <urn://x>")
        self.assertEqual(nodes(self.last()[0])[0]["atLocation"], BASE + "place/by%20%3Curn%3A%2F%2Fx%3E")

    def test_emotions(self):
        heard = self.robot.heard("no!")
        self.robot.emotion("maria", "angry", intensity=0.75, confidence=1, because=[heard, heard.message])
        emotion = nodes(self.last()[0])
        self.assertEqual(emotion[0]["triggeredByActivity"], [heard])
        self.assertEqual(emotion[0]["triggeredByEntity"], [heard.message])
        self.assertEqual(emotion[1], {
            "id": emotion[0]["producedEntityResult"], "type": ["Annotation", "EmotionAnnotation"],
            "hasTarget": BASE + "person/maria", "hasEmotion": {
                "id": emotion[0]["id"] + "#emotion", "type": "Emotion", "hasEmotionCategory": "emoml:big6_anger",
                "hasEmotionIntensity": "0.75", "algorithmConfidence": "1.0"}})
        self.robot.emotion("maria", "bored")
        emotion = nodes(self.last()[0])[1]["hasEmotion"]
        self.assertEqual(emotion["hasEmotionCategory"], BASE + "emotion/bored")
        self.assertNotIn("hasEmotionIntensity", emotion)

    def test_people(self):
        stranger = self.robot.person("p17", permanent=False)
        self.assertEqual(stranger, ROBOT + "/person/p17")
        self.robot.saw(stranger)
        self.assertNotIn("subject_uri", self.last()[0]["observation"])
        tracked = self.robot.person("urn:uuid:17", permanent=False)
        self.assertEqual(tracked, ROBOT + "/person/urn%3Auuid%3A17")
        self.robot.heard("Hi", by=tracked)
        self.assertNotIn("subject_uri", self.last()[0]["observation"])
        maria = self.robot.person("maria", "María")
        self.assertEqual(nodes(self.last()[0]), [
            {"id": BASE + "person/maria", "type": ["Human", "prov:Person"], "name": "María"}])
        self.robot.saw("maria")
        self.assertEqual(self.last()[0]["observation"]["subject_uri"], maria)
        before = len(self.service.lines)
        self.robot.person("maria", "María")
        self.last()
        self.assertEqual(len(self.service.lines), before, "a person is logged once")

    def test_who_and_what_is_named_is_logged_once(self):
        self.assertTrue(self.robot.flush(20))
        before = len(self.service.lines)
        self.robot.person("ana", "Ana López")
        for _ in range(2):
            self.robot.heard("Hi", by="zoe", model="facenet")
            self.robot.said("Hello", to="zoe")
            self.robot.saw("ana")
            self.robot.emotion("https://people.example/7", "sad", model="https://models.example/x")
        self.assertTrue(self.robot.flush(20))
        lines = [nodes(line) for line in self.service.lines[before:]]
        self.assertEqual([n[0] for n in lines if "LoggedActivity" not in n[0]["type"]], [
            {"id": BASE + "person/ana", "type": ["Human", "prov:Person"], "name": "Ana López"},
            {"id": BASE + "person/zoe", "type": ["Human", "prov:Person"]},
            {"id": BASE + "model/facenet", "type": "Model", "label": "facenet"}])
        self.assertEqual([n[0]["label"] for n in lines if "DetectedHumanEvent" in n[0]["type"]], ["saw somebody"] * 2)

    def test_what_is_not_shared_has_an_event_of_its_own(self):
        saw = self.robot.saw("maria", shared=False)
        line = self.last()[0]
        self.assertNotIn("observation", line)
        self.assertEqual(nodes(line)[1], {"id": saw.event, "type": "Event", "about": BASE + "person/maria"})
        self.robot.saw(what="a red ball", modality="lidar")
        seen = self.last()[0]["observation"]
        self.assertEqual([seen[m] for m in ("event_kind", "modality", "text")],
                         ["object_presence", "lidar", "a red ball"])
        alone = self.client(robot="otto", resolve=False, queue=self.folder + "/alone")
        alone.heard("hello")
        alone.saw("maria")
        self.assertTrue(alone.flush(20))
        self.assertEqual([line for line in self.service.lines[-2:] if "observation" in line], [])

    def test_the_status_stays_after_close(self):
        self.robot.heard("Hello")
        self.robot.close()
        self.assertEqual((self.robot.status()["sent"], self.robot.status()["queued"]), (2, 0))

    def test_states_stops_and_problems(self):
        state = self.robot.state(battery=Percent(82), load=0.5, phase="guide", docked=False, place="hall")
        self.assertIsInstance(state, Entity)
        node = nodes(self.last()[0])[0]
        values = [(v["propertyID"], v["value"], v.get("unitCode")) for v in node["additionalProperty"]]
        self.assertEqual(values, [("battery", 82, "PERCENT"), ("load", 0.5, None), ("phase", "guide", None),
                                  ("docked", False, None)])
        stop = self.robot.stopped(because=state)
        activity, after = nodes(self.last()[0])
        self.assertEqual((activity["id"], activity["type"][1]), (stop, "sc:EmergencyStop"))
        self.assertEqual(activity["triggeredByEntity"], [state])
        self.assertEqual(after["additionalProperty"][0]["value"], True)
        self.robot.problem("the arm is stuck", "warning", "arm", joint=3)
        node = nodes(self.last()[0])[0]
        self.assertEqual((node["type"][1], node["label"]), ("sc:Incident", "the arm is stuck"))
        self.assertEqual({v["propertyID"]: v["value"] for v in node["additionalProperty"]},
                         {"level": "warning", "part": "arm", "joint": 3})

    def test_other_words(self):
        self.robot.event("Docking", of="maria", properties={"a b": 1, "n": math.inf, "event": 2})
        activity, event = nodes(self.last()[0])
        self.assertEqual(activity["type"], ["LoggedActivity", BASE + "class/Docking"])
        self.assertEqual([v["id"].rsplit("#")[1] for v in activity["additionalProperty"]], ["a%20b", "n", "event"])
        self.assertEqual(event["about"], BASE + "person/maria")
        ids = [node["id"] for node in (activity, event, *activity["additionalProperty"])]
        self.assertEqual(len(set(ids)), 5, ids)  # the property named event is another node
        self.robot.jsonld({"@context": {"p": "https://p.example/"}, "@id": "https://a.example/", "p:q": 1}, key="mine")
        self.assertEqual((self.last()[0]["key"], self.last()[0]["graph"]["p:q"]), ("mine", 1))
        self.robot.model("whisper", "3", "Example Labs")
        self.assertEqual(nodes(self.last()[0])[0]["provider"],
                         {"id": BASE + "provider/Example%20Labs", "name": "Example Labs"})

    def test_a_service_that_moved_gets_what_was_queued_for_it(self):
        settings = {"queue": self.folder + "/moved"}
        before = self.client(url="http://127.0.0.1:9", **settings)
        before.said("to the old address")
        before.close(0)
        self.assertIn("to the old address", self.sent(self.client(**settings)))

    def test_causes_of_a_block(self):
        heard, saw = self.robot.heard("x"), self.robot.saw()
        with self.robot.because(heard):
            with self.robot.because(saw):
                self.robot.said("y")
                both = nodes(self.last()[0])[0]["triggeredByActivity"]
            self.robot.said("y")
            self.assertEqual(nodes(self.last()[0])[0]["triggeredByActivity"], [heard])
        self.assertEqual(both, [heard, saw])

    def test_times(self):
        clock = self.robot._clock
        for ns, text in (0, "1970-01-01T00:00:00.000000Z"), (1795843456557358312, "2026-11-28T05:24:16.557358Z"):
            self.assertEqual(clock.stamp(ns), text)
        zone = datetime.timezone(datetime.timedelta(hours=2))
        at = datetime.datetime(2026, 2, 11, 11, 12, 13, 150000, zone)
        self.assertEqual(clock.at(at), "2026-02-11T09:12:13.150000Z")
        with mock.patch("time.time_ns", side_effect=[2 * 10**9, 2 * 10**9, 10**9, 10**9]):  # set back
            self.robot.said("one")
            self.robot.said("two")
        one, two = self.last(2)
        self.assertLess(nodes(two)[0]["startedAtTime"], nodes(one)[0]["startedAtTime"], "a time is what the clock said")
        self.assertEqual([nodes(line)[1]["text"] for line in (one, two)], ["one", "two"],
                         "the order is that of the calls")

    def test_an_importer_that_runs_twice(self):
        for _ in range(2):
            self.robot.heard("hello", id="bag-17", at=5)
            self.robot.heard("there", id="https://bags.example/#17", at=5, confidence=1)
        self.robot.flush(20)
        self.assertEqual(self.service.texts(), ["hello", "there"])
        self.assertEqual(self.robot.status()["refused"], 0)

    def test_odd_texts_arrive(self):
        odd = ["", '"quotes" and \\', "a\nb\0c\u2028", "😀", "x\ud800y", "ß" * 300]
        for text in odd:
            self.robot.said(text)
        self.robot.flush(20)
        self.assertEqual(self.service.texts(), [t.replace("\ud800", "?") for t in odd])

    def test_wrong_arguments_raise_at_the_call(self):
        robot = self.robot
        before = len(self.service.lines)
        itself, deep = {"@graph": []}, []
        itself["@graph"].append(itself)
        for _ in range(100000):
            deep = [deep]
        for wrong, call in (
            (TypeError, lambda: robot.heard(None)), (TypeError, lambda: robot.heard("x", by=7)),
            (ValueError, lambda: robot.heard("x", confidence=2)), (TypeError, lambda: robot.said("x", because=3)),
            (ValueError, lambda: robot.said("x", because="hello")), (TypeError, lambda: robot.said("x", at="today")),
            (TypeError, lambda: robot.state(battery=[1])), (TypeError, lambda: robot.decided("x", args={1j})),
            (ValueError, lambda: robot.decided("x").done("maybe")),
            (ValueError, lambda: robot.emotion("m", "sad", intensity=math.nan)),
            (ValueError, lambda: robot.jsonld({"x": math.nan})), (ValueError, lambda: robot.jsonld(itself)),
            (ValueError, lambda: robot.jsonld(deep)),
        ):
            with self.assertRaises(wrong):
                call()
        robot.flush(20)
        self.assertEqual(len(self.service.lines) - before, 2, "only the decision, and the robot of the start")

    def test_settings(self):
        for wrong in (dict(robot=""), dict(url="localhost:5000"), dict(url="http://localhost:99999"), dict(base="museum"), dict(durable="x"), dict(batch=0),
                      dict(max_queue="much")):
            with self.assertRaises(ValueError, msg=wrong):
                self.client(**wrong)
        environment = {"SEGRAPH_URL": self.service.url, "SEGRAPH_ROBOT": "luna", "SEGRAPH_TOKEN": "t",
                       "SEGRAPH_QUEUE": self.folder + "/luna"}
        with mock.patch.dict(os.environ, environment), Client() as client:
            self.assertTrue(client.flush(20))
            self.assertEqual(client.robot, "urn:segraph:robot/luna")
        self.assertEqual(self.service.tokens[-1], "Bearer t")

    def test_iris(self):
        for name in "urn:x:y", "https://e.example/a", "a+b.c-1://x":
            self.assertEqual(self.robot.person_iri(name), name)
        for name, quoted in ("://x", "%3A%2F%2Fx"), ("Büro://x", "B%C3%BCro%3A%2F%2Fx"), ("1a://x", "1a%3A%2F%2Fx"):
            self.assertEqual(self.robot.person_iri(name), BASE + "person/" + quoted)
        for robot in "urn:robot:iris", "https://e.example/robots/iris":
            client = self.client(robot=robot, queue=self.folder + "/" + robot[:3])
            self.assertEqual(client.person("7", permanent=False), robot + "/person/7")

    def test_sizes(self):
        for i in range(200):
            room = i * 37 % 200
            heard = self.robot.heard("Could you show me the way to room %d?" % room, by="maria", confidence=0.9)
            self.robot.said("Follow me to room %d." % room, to="maria", answers=heard)
        self.robot.flush(20)
        lines = [json.dumps(line, separators=(",", ":"), ensure_ascii=False) for line in self.service.lines[1:]]
        self.assertLess(sum(map(len, lines)) / len(lines), 1024)
        self.assertLess(len(gzip.compress("\n".join(lines[:200]).encode(), 6)) / 200, 100)


class TestPackage(unittest.TestCase):
    def test_it_needs_the_standard_library_alone(self):
        here = os.path.dirname(_queue.__file__)
        allowed = getattr(sys, "stdlib_module_names", None)
        if allowed is None:
            self.skipTest("Python 3.10 lists the modules of the standard library")
        for name in os.listdir(here):
            if name.endswith(".py"):
                with open(os.path.join(here, name), encoding="utf-8") as f:
                    for module in re.findall(r"^\s*(?:import|from) (?!segraph)([A-Za-z_]\w*)", f.read(), re.M):
                        self.assertIn(module, allowed, name)

    def test_a_ref_is_a_string(self):
        ref = Ref("urn:a", message="urn:m")
        self.assertEqual((ref, ref.message, ref.event, {ref: 1}["urn:a"]), ("urn:a", "urn:m", None, 1))


if __name__ == "__main__":
    unittest.main()
