"""The drop-in for SEGB's package, compared with what version 1.0.5 does."""
import base64
import datetime
import gc
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest
from unittest import mock

import scenario
from base import HERE, SOURCE, Case
from segraph import semantic_log_generator as segb
from segraph.semantic_log_generator.publisher import Outlet
from segraph.semantic_log_generator._rdf import RDF, BNode, Graph, Literal, News, SimpleGraph, SimpleLiteral, valid
from service import fail, wait_for

PACKAGE = "segraph.semantic_log_generator"
NOW = datetime.datetime(2026, 2, 10, 12, tzinfo=datetime.timezone.utc)


def golden():
    lines = pathlib.Path(HERE, "golden.jsonl").read_text("utf-8").splitlines()
    return json.loads(lines[0])["names"], [json.loads(line) for line in lines[1:]]


class TestGolden(unittest.TestCase):
    maxDiff = 2000

    def test_the_triples_are_the_same(self):
        ours = [[number] + triple for number, settings in enumerate(scenario.SETTINGS)
                for triple in scenario.triples(scenario.play(PACKAGE, **settings))]
        self.assertEqual(ours, golden()[1])

    def test_the_triples_are_the_same_without_rdflib(self):
        script = "import sys; sys.modules['rdflib'] = None; sys.path[:0] = [%r, %r]; sys.argv[1:] = [%r]; " \
                 "exec(open(%r).read())" % (HERE, SOURCE, PACKAGE, os.path.join(HERE, "scenario.py"))
        out = subprocess.run([sys.executable, "-X", "utf8", "-c", script], stdout=subprocess.PIPE, check=True).stdout
        self.assertEqual([json.loads(line) for line in out.decode().splitlines()[1:]], golden()[1])

    def test_the_names_and_arguments_are_the_same(self):
        self.assertEqual(scenario.names(PACKAGE), golden()[0])

    def test_errors(self):
        log = scenario.play(PACKAGE)
        for call in (
            lambda: segb.SemanticSEGBLogger(base_namespace=" ", robot_id="x"),
            lambda: log.resolve_term("no:thing"),
            lambda: log.resolve_term("segb:"), lambda: log.resolve_term(""),
            lambda: log.log_activity(activity_kind="?"),
            lambda: log.log_observation(confidence=1),
            lambda: log.log_message("x", message_types=["oro:InitialMessage"]),
            lambda: log.log_emotion_annotation(source_activity="a", targets=[], emotions=[]),
            lambda: log.log_emotion_annotation(source_activity="a", targets=[], emotions=[segb.EmotionScore("?", 1)]),
            lambda: log.log_activity(activity_id="listen", activity_kind="listening", started_at=NOW),
            lambda: log.resolve_shared_event(event_kind="k", observed_at=NOW, time_bucket_seconds=0),
            lambda: segb.SEGBPublisher(base_url=""), lambda: segb.SEGBPublisher(base_url="x", timeout_seconds=0),
            lambda: segb.HTTPSharedContextResolver(base_url=""), lambda: log.merge_turtle(" "),
        ):
            self.assertRaises(ValueError, call)

    def test_small_graphs(self):
        graph = SimpleGraph()
        subject = segb.SemanticSEGBLogger(base_namespace="https://e.example/", robot_id="x").resolve_term("a")
        graph.add((subject, subject, SimpleLiteral('"\n\u00e9', lang="ES")))
        graph.add((subject, subject, SimpleLiteral('"\n\u00e9', lang="es")))
        self.assertEqual(len(graph), 1)
        self.assertEqual(graph.serialize(), '<https://e.example/a> <https://e.example/a> "\\"\\n\u00e9"@es .\n')
        self.assertRaises(ImportError, graph.parse, data="", format="turtle")
        self.assertEqual(len({SimpleLiteral("1"), SimpleLiteral("1", datatype="x"), SimpleLiteral("1", lang="x")}), 3)


class TestPublishing(Case):
    def publisher(self, **settings):
        settings = {"base_url": self.service.url, "queue_file": self.folder + "/q", "default_user": "ari", **settings}
        publisher = segb.SEGBPublisher(**settings)
        self.addCleanup(lambda: publisher._outlet and publisher._outlet.close(0.1))
        return publisher

    def logger(self, **settings):
        return segb.SemanticSEGBLogger(base_namespace="https://e.example/", robot_id="ari", **settings)

    def stored(self):
        return [node for line in self.service.lines for node in line["graph"]]

    def test_only_what_is_new_is_sent(self):
        log, publisher = self.logger(), self.publisher()
        sizes = []
        for i in range(60):
            log.log_message("message number %02d" % i, message_id="m%02d" % i, sender=log.robot_uri)
            answer = log.publish(publisher)
            self.assertEqual((answer["log_id"], answer["queued"]), (None, 7 if i == 0 else 5))
            publisher.flush_queue()
            sizes.append(len(json.dumps(self.service.lines[-1])))
        self.assertEqual(len(self.service.lines), 60)
        self.assertLessEqual(max(sizes[10:]) - min(sizes[10:]), 1, "the key has a digit more")
        self.assertEqual({line["user"] for line in self.service.lines}, {"ari"})
        self.assertEqual(log.publish(publisher, user="other")["queued"], 0)
        log.register_human("maria")
        log.register_human("maria")
        self.assertEqual(log.publish(publisher, user="other")["queued"], 3)
        publisher.flush_queue()
        self.assertEqual(self.service.lines[-1]["user"], "other")
        self.assertEqual(self.service.lines[-1]["graph"][0]["@type"], [
            "http://www.w3.org/ns/prov#Person", "http://xmlns.com/foaf/0.1/Person", "http://kb.openrobots.org#Human"])

    def test_what_one_thread_adds_while_another_publishes_is_sent_later(self):
        graph, triple = SimpleGraph(), ("s", "p", "o")
        news = News(graph)
        for _ in "ab":
            graph._watchers.append(lambda _: [news.take() for _ in range(3)])  # the other thread, just before the graph has it
            graph.add(triple)
            graph._watchers.pop()
            self.assertEqual([news.take(), news.take()], [[triple], []])
            graph._objects.clear()

    def test_a_call_that_fails_loses_nothing(self):
        log, publisher = self.logger(), self.publisher()
        with mock.patch.object(Outlet, "put", side_effect=KeyboardInterrupt):
            self.assertRaises(KeyboardInterrupt, log.publish, publisher)
        self.assertEqual(log.publish(publisher)["queued"], len(log.graph))

    def test_what_is_queued_before_an_interrupt_is_not_queued_again(self):
        log, publisher = self.logger(), self.publisher()
        for i in range(9):
            log.register_human("human %d" % i)
        put, left = Outlet.put, [1, 2]

        def interrupted(outlet, *args):
            if not left:
                raise KeyboardInterrupt
            left.pop()
            return put(outlet, *args)

        with mock.patch("segraph.semantic_log_generator.publisher.LINE_BYTES", 1000):
            with mock.patch.object(Outlet, "put", interrupted):
                self.assertRaises(KeyboardInterrupt, log.publish, publisher)
            self.assertLess(log.publish(publisher)["queued"], len(log.graph))
        publisher.flush_queue()
        found = [node["@id"] for node in self.stored()]
        self.assertEqual(sorted(found), sorted({str(triple[0]) for triple in log.graph}))

    def test_publishers_with_the_same_settings_share_a_queue(self):
        log = self.logger()
        self.assertEqual(log.publish(self.publisher())["queued"], 2)
        self.assertEqual([log.publish(self.publisher())["queued"] for _ in range(5)], [0] * 5)
        other = self.publisher(token="t")
        self.assertEqual(log.publish(other)["queued"], 2)
        self.assertTrue(other._outlet.flush(20))
        self.assertLessEqual(len([t for t in threading.enumerate() if t.name == "segraph-sender"]), 2)
        self.assertEqual(self.service.tokens[-1], "Bearer t")

    def test_after_a_deletion_everything_is_new(self):
        log, publisher = self.logger(), self.publisher()
        log.publish(publisher)
        self.publisher().delete_all_ttls()
        self.assertEqual(self.service.others, [("/ttl/delete_all", {"user": "ari"})])
        self.assertEqual(len(self.stored()), 1, "what was queued came first")
        self.assertEqual(log.publish(publisher)["queued"], len(log.graph))
        second = self.publisher(queue_file=self.folder + "/other")
        self.assertEqual(log.publish(second)["queued"], len(log.graph), "another publisher has sent nothing yet")

    def test_long_graphs_are_sent_in_parts(self):
        log, publisher = self.logger(), self.publisher()
        for i in range(3000):
            log.log_message("message %d" % i)
        log.publish(publisher)
        self.assertTrue(publisher._outlet.flush(20))
        self.assertGreater(len(self.service.lines), 3)
        self.assertEqual(len(self.stored()), 3001)
        self.assertEqual(publisher._outlet.status()["refused"], 0)

    def test_no_line_has_too_many_triples(self):
        graph, publisher = Graph(), self.publisher()
        uri = segb.SemanticSEGBLogger(base_namespace="u:", robot_id="x").resolve_term
        for i in range(9000):
            graph.add((uri("s") if i < 5000 else uri("s%d" % i), uri("p"), uri("%d" % i)))
        chain = [(BNode("c%d" % i), uri("p"), BNode("c%d" % (i + 1))) for i in range(5000)]  # in 170 KB
        for triple in chain:
            graph.add(triple)
        publisher.publish_graph(graph)
        self.assertTrue(publisher._outlet.flush(20))
        counts = [sum(len(v) for node in line["graph"] for k, v in node.items() if k != "@id") for line in self.service.lines]
        self.assertEqual((sum(counts), max(counts)), (9000, 4000))
        self.assertEqual([body["ttl_content"].count(" .\n") for _, body in self.service.others], [5000])

    def test_a_bad_iri_takes_nothing_with_it(self):
        log, publisher = self.logger(), self.publisher()
        log.log_robot_state(segb.RobotStateSnapshot(location="main hall"))
        log.register_human("maria", homepage="maria.example")
        bad = 2
        if Literal is SimpleLiteral:  # rdflib's refuses it
            log.log_message("hola", language="es_ES!")
            self.service.refuse = lambda line: {"status": 400} if "es_es!" in json.dumps(line) else None
            bad = 3
        with self.assertLogs("segraph") as logs:
            queued = log.publish(publisher)["queued"]
            self.assertTrue(publisher._outlet.flush(20))
        self.assertIn("will refuse %d triples" % bad, logs.output[0])
        stored = sum(len(v) if isinstance(v, list) else 0 for node in self.stored() for v in node.values())
        self.assertEqual((stored, publisher._outlet.status()["refused"]), (queued - bad, 1))

    def test_what_is_in_a_wrong_position_takes_nothing_with_it(self):
        uri = segb.SemanticSEGBLogger(base_namespace="u:", robot_id="x").resolve_term
        a, blank, text = uri("a"), BNode("b"), Literal("x")
        for triple in (a, a, a), (blank, a, blank), (a, a, text), (a, a, Literal("x", lang="en")), (a, a, Literal(1, datatype=a)):
            self.assertTrue(valid(triple), triple)
        for triple in (a, blank, a), (text, a, a), (a, text, a), (a, a, Literal("x", datatype=RDF.langString)), (a, a, Graph()):
            self.assertFalse(valid(triple), triple)

    def test_graphs_of_rdflib(self):
        try:
            import rdflib
        except ImportError:
            self.skipTest("needs rdflib")
        graph, publisher = rdflib.Graph(), self.publisher()
        ari, tiago = self.logger(graph=graph), segb.SemanticSEGBLogger(
            base_namespace="https://t.example/", robot_id="tiago", graph=graph)
        self.assertEqual(publisher.publish_graph(graph)["queued"], len(graph))
        tiago.log_message("hello")
        ari.merge_turtle("<https://x.example/> <https://p.example/> [ <https://q.example/> 1 ] .")
        graph.add((ari.robot_uri, rdflib.RDFS.label, rdflib.Literal("added")))
        graph.remove((ari.robot_uri, rdflib.RDFS.label, None))
        self.assertEqual(publisher.publish_graph(graph)["queued"], 5)
        publisher.flush_queue()
        [blank] = [node["https://p.example/"][0]["@id"] for node in self.stored() if "https://p.example/" in node]
        self.assertTrue(blank.startswith("_:"))

    def test_graphs_with_one_name(self):
        try:
            import rdflib
        except ImportError:
            self.skipTest("needs rdflib")
        publisher, graphs = self.publisher(), []
        for n in range(3):
            graph = rdflib.Graph(identifier="urn:log")
            graph.add((rdflib.URIRef("urn:s"), rdflib.RDFS.label, rdflib.Literal(n)))
            graphs.append(graph)
            self.assertEqual([publisher.publish_graph(graph)["queued"] for _ in range(2)], [1, 0])
        del graph, graphs
        gc.collect()
        self.assertEqual(publisher._outlet.news, {})

    def test_documents_of_turtle_are_posted_at_once(self):
        publisher = self.publisher()
        self.service.other = lambda path, body: (201, b'{"log_id":"1"}')
        self.assertEqual(publisher.publish_turtle("<a:b> <a:c> 1 ."), {"log_id": "1"})
        self.service.other = lambda path, body: (503, b"busy")
        with self.assertRaisesRegex(RuntimeError, "503: busy"):
            publisher.publish_turtle("<a:b> <a:c> 2 .", user="x")
        with publisher.queue_file.open("a") as f:
            f.write("no JSON\n")
        self.assertEqual(publisher.flush_queue(), [])
        self.service.other = lambda path, body: (201, b"")
        self.assertEqual(publisher.flush_queue(), [{"status_code": 201}])
        self.assertEqual(self.service.others[-1], ("/ttl", {"ttl_content": "<a:b> <a:c> 2 .", "user": "x"}))
        self.assertFalse(publisher.queue_file.exists())
        self.assertEqual([self.service.other_keys.count(key) for key in self.service.other_keys], [1, 3, 3, 3])
        with publisher.queue_file.open("w") as f:
            f.write('{"ttl_content": "by SEGB", "user": null}\n')
        self.service.other = lambda path, body: (422, b"no")
        self.assertRaises(RuntimeError, publisher.publish_turtle, "nonsense")
        self.assertEqual(len(publisher.queue_file.read_text().splitlines()), 1)
        with self.assertLogs("segraph"):
            self.assertEqual(publisher.flush_queue(), [])
        self.assertFalse(publisher.queue_file.exists())

    def test_a_service_that_does_not_answer_is_asked_once(self):
        publisher, asked = self.publisher(), []

        def post(*args):
            asked.append(args)
            raise OSError("no answer")

        publisher._post = post
        for i in range(3):
            with self.assertRaises(OSError):
                publisher.publish_turtle("<a:b> <a:c> %d ." % i)
        self.assertEqual(publisher.queue_file.stat().st_mode & 0o777, 0o600)
        first, *others = publisher.queue_file.read_text().splitlines()
        publisher.queue_file.chmod(0o640)
        self.assertEqual(publisher.flush_queue(), [])
        left = publisher.queue_file.read_text().splitlines()
        self.assertEqual((len(asked), left), (4, [*others, first]))  # if one never gets an answer, the others do
        self.assertEqual(publisher.queue_file.stat().st_mode & 0o777, 0o640)

    def test_what_another_user_left_is_not_sent(self):
        def token(user):
            return "e." + base64.urlsafe_b64encode(json.dumps({"username": user}).encode()).decode().rstrip("=") + ".s"

        log = self.logger()
        self.service.script = [fail(503)] * 100000
        ari = self.publisher(token=token("ari"))
        log.publish(ari)
        ari._outlet.close(0)
        self.service.script, self.service.tokens[:] = [], []
        tiago = self.publisher(token=token("tiago"))
        log.publish(tiago)
        self.assertTrue(tiago._outlet.flush(20))
        time.sleep(0.5)
        self.assertEqual((set(self.service.tokens), len(self.service.lines)), ({"Bearer " + token("tiago")}, 1))
        again = self.publisher(token=token("ari") + "2")
        again.publish_graph(Graph())
        self.assertTrue(wait_for(lambda: len(self.service.lines) == 2))

    def test_what_was_left_without_a_token_is_sent_with_one(self):
        self.service.script = [fail(401)] * 100000
        outlets = [Outlet(self.service.url, None, self.folder + "/q.d", True) for _ in range(2)]  # as of two processes
        for outlet in outlets:
            outlet.put([], None)
        for outlet in outlets:
            outlet.close(0)
        self.service.script = []
        later = self.publisher(token="e.%s.s" % base64.urlsafe_b64encode(b'{"username": "ari"}').decode().rstrip("="))
        later.publish_graph(Graph())
        self.assertTrue(wait_for(lambda: len(self.service.lines) == 2))
        self.assertEqual(set(self.service.tokens[-2:]), {"Bearer " + later.token})

    def test_https_is_not_used_unless_asked_for(self):
        publisher = self.publisher(verify_tls=False)
        publisher.publish_graph(self.logger().graph)
        self.assertTrue(publisher._outlet.flush(20), publisher._outlet.status())

    def test_a_forked_child_has_its_own_locks(self):
        graph, publisher = self.logger().graph, self.publisher()
        self.service.other = lambda path, body: (503, b"busy")
        with Outlet.making, publisher._files():  # as another thread may have them
            child = os.fork()
            if child == 0:
                signal.alarm(10)
                try:
                    publisher.publish_graph(graph)
                    publisher.publish_turtle("<a:b> <a:c> 1 .")
                except RuntimeError:
                    os._exit(0)
                finally:
                    os._exit(1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(len(publisher.queue_file.read_text().splitlines()), 1)

    def test_what_is_long_holds_nobody_up(self):
        posted = threading.Event()
        self.addCleanup(posted.set)
        self.service.other = lambda path, body: (201, b"{}") if posted.wait(20) else None
        uri, threads = self.logger().resolve_term, []
        for n, length in enumerate((300000, 1)):
            graph = Graph()
            graph.add((uri("s"), uri("p"), Literal("x" * length)))
            threads.append(threading.Thread(target=self.publisher().publish_graph, args=(graph,)))
            threads[n].start()
            self.assertTrue(n or wait_for(lambda: self.service.others))
        threads[1].join(5)
        self.assertTrue(threads[0].is_alive() and not threads[1].is_alive())
        posted.set()
        threads[0].join(20)

    def test_a_deletion_waits_for_what_is_long(self):
        posted, graph, uri = threading.Event(), Graph(), self.logger().resolve_term
        self.addCleanup(posted.set)
        self.service.other = lambda path, body: (201, b"{}") if posted.wait(20) else None
        for n in range(2):
            graph.add((uri("s%d" % n), uri("p"), Literal("x" * 300000)))
        post = threading.Thread(target=self.publisher().publish_graph, args=(graph,))
        post.start()
        self.assertTrue(wait_for(lambda: self.service.others))
        self.assertRaises(RuntimeError, self.publisher(timeout_seconds=0.05).delete_all_ttls)
        delete = threading.Thread(target=self.publisher().delete_all_ttls)
        delete.start()
        delete.join(0.2)
        posted.set()
        post.join(20)
        delete.join(20)
        self.assertEqual([path for path, *_ in self.service.others], ["/ttl", "/ttl", "/ttl/delete_all"])

    def test_publishers_that_share_a_file_lose_nothing(self):
        posted, failed, ours, other = threading.Event(), [], self.publisher(), self.publisher()
        self.addCleanup(posted.set)
        self.service.other = lambda path, body: (503, b"busy")
        self.assertRaises(RuntimeError, ours.publish_turtle, "<a:b> <a:c> 1 .")
        self.service.other = lambda path, body: (201, b"{}") if " 1 ." in body["ttl_content"] and posted.wait(20) else (503, b"busy")
        flush = threading.Thread(target=ours.flush_queue)
        flush.start()
        self.assertTrue(wait_for(lambda: len(self.service.others) == 2))
        append = threading.Thread(target=lambda: failed.append(self.assertRaises(RuntimeError, other.publish_turtle, "<a:b> <a:c> 2 .")))
        append.start()
        self.assertTrue(wait_for(lambda: len(self.service.others) == 3))
        append.join(0.2)
        posted.set()
        flush.join(20)
        append.join(20)
        self.assertTrue(failed)
        self.assertIn("<a:c> 2 .", ours.queue_file.read_text())

    def test_a_line_that_was_cut_takes_no_other_with_it(self):
        publisher = self.publisher()
        self.service.other = lambda path, body: (503, b"busy")
        for cut in '{"ttl_content": "<a:b> <a:c', "":
            publisher.queue_file.write_text(cut)
            for n in range(2):
                self.assertRaises(RuntimeError, publisher.publish_turtle, "<a:b> <a:c> %d ." % n)
            self.assertEqual(len(publisher.queue_file.read_text().splitlines()), 2 + bool(cut))
        publisher.queue_file.write_text('{"ttl_content": "<a:b> <a:c')
        self.assertRaises(RuntimeError, publisher.publish_turtle, "<a:b> <a:c> 1 .")
        self.service.other = lambda path, body: (201, b"{}")
        with self.assertLogs("segraph"):
            self.assertEqual(publisher.flush_queue(), [{}])

    def test_everything_long_is_sent(self):
        graph, publisher = Graph(), self.publisher(queue_file=None)
        uri, big = segb.SemanticSEGBLogger(base_namespace="https://e.example/", robot_id="x").resolve_term, "x" * 900
        added = [(BNode("b%d" % i), uri("p"), Literal(big)) for i in range(75)]  # as many as fit one line
        added += [(uri("s%d" % i), uri("p"), Literal(big)) for i in range(200)]
        added += [(uri("s"), uri("p"), uri(big + str(i))) for i in range(300)]
        chain = [(BNode("c%d" % i), uri("p"), BNode("c%d" % (i + 1))) for i in range(9000)]
        value = (uri("value"), uri("p"), Literal(big * 400))
        for triple in added + chain + [value]:
            graph.add(triple)
        self.service.other = lambda path, body: (503, b"busy")
        with mock.patch.dict(os.environ, XDG_STATE_HOME=self.folder):
            self.assertRaises(RuntimeError, publisher.publish_graph, graph)
        self.assertTrue(publisher._outlet.flush(20))
        self.service.other = lambda path, body: (201, b"{}")
        publisher.publish_graph(graph)
        self.assertEqual(publisher._outlet.status()["refused"], 0)
        sent = [(node["@id"], len(node["https://e.example/p"])) for node in self.stored()]
        self.assertEqual(sum(n for _, n in sent), len(added))
        self.assertEqual(len([name for name, _ in sent if name[:2] == "_:"]), 75)
        bodies = [body["ttl_content"] for _, body in self.service.others[1:]]
        self.assertEqual([body.count(" .\n") for body in bodies], [len(chain), 1])
        self.assertEqual(publisher.publish_graph(graph)["queued"], 0)

    def test_documents_go_with_the_token_of_the_environment_too(self):
        with mock.patch.dict(os.environ, SEGRAPH_TOKEN="t", XDG_STATE_HOME=self.folder):
            publisher = self.publisher(token=None)
        with mock.patch(PACKAGE + ".publisher.Session.post", return_value=mock.Mock(status_code=201, text="{}")) as post:
            publisher.publish_turtle("<a:b> <a:c> 1 .")
        self.assertEqual(post.call_args.kwargs["headers"]["Authorization"], "Bearer t")

    def test_what_is_long_is_neither_lost_nor_stuck(self):
        uri = segb.SemanticSEGBLogger(base_namespace="https://e.example/", robot_id="x").resolve_term
        for answer, error, settings, again in (
            ((413, b"too long"), RuntimeError, {"queue_file": None}, 0), ((413, b"too long"), RuntimeError, {}, 0),
            ((503, b"busy"), RuntimeError, {"queue_file": None}, 1), ((503, b"busy"), RuntimeError, {}, 0),
            (KeyboardInterrupt(), KeyboardInterrupt, {}, 1),
        ):
            graph, publisher = Graph(), self.publisher(**settings)
            graph.add((uri("s"), uri("p"), Literal("x" * 300000)))
            posted = mock.Mock(status_code=answer[0], text="") if isinstance(answer, tuple) else answer
            with mock.patch.dict(os.environ, XDG_STATE_HOME=self.folder):
                with mock.patch(PACKAGE + ".publisher.Session.post", side_effect=[posted]):
                    self.assertRaises(error, publisher.publish_graph, graph)
            self.assertEqual(publisher.publish_graph(graph)["queued"], again, (answer, settings))
        publisher.queue_file = pathlib.Path("/dev/null/q")
        graph.add((uri("s"), uri("q"), Literal("x" * 300000)))
        with mock.patch(PACKAGE + ".publisher.Session.post", side_effect=OSError):
            self.assertRaises(OSError, publisher.publish_graph, graph)
        self.assertEqual(publisher.publish_graph(graph)["queued"], 1)

    def test_documents_that_cannot_be_posted_stay(self):
        for settings in {"token": "sec\nret"}, {"base_url": "robots.example"}, {"base_url": self.server(b"nonsense\r\n\r\n")}:
            publisher = self.publisher(**settings)
            documents = ['{"ttl_content": "\u2028", "user": null}\n'] * 2
            publisher.queue_file.write_text("".join(documents), "utf-8")
            self.assertEqual(publisher.flush_queue(), [], settings)
            self.assertEqual(publisher.queue_file.read_text("utf-8"), "".join(documents), settings)
            with self.assertRaises((OSError, ValueError)) as caught:
                publisher.publish_turtle("<a:b> <a:c> 1 .")
            self.assertNotIn("sec", str(caught.exception))
            self.assertEqual(len(publisher.queue_file.read_text("utf-8").split("\n")), 4, settings)

    def test_what_is_no_document_is_dropped(self):
        publisher = self.publisher()
        publisher.queue_file.write_text('no JSON\n5\n[]\n\n', "utf-8")
        with self.assertLogs("segraph") as said:
            self.assertEqual(publisher.flush_queue(), [])
        self.assertEqual(len(said.output), 3)
        self.assertFalse(publisher.queue_file.exists())

    def test_no_other_server_gets_the_token(self):
        redirect = b"HTTP/1.1 302 Found\r\nLocation: %b/x\r\nContent-Length: 0\r\n\r\n" % self.service.url.encode()
        with self.assertRaisesRegex(RuntimeError, "HTTP 302"):
            self.publisher(base_url=self.server(redirect), token="t").publish_turtle("<a:b> <a:c> 1 .")
        self.assertEqual(self.service.connections, [])

    def test_a_resolver_whose_service_answers_nonsense_raises_nothing(self):
        resolver = segb.HTTPSharedContextResolver(base_url=self.server(b"nonsense\r\n\r\n"), token="t\n")
        log = self.logger(shared_event_resolver=resolver)
        self.assertTrue(log.get_shared_event_uri(event_kind="k", observed_at=NOW, subject="maria", text="", modality="speech"))
        self.assertEqual(resolver.fallbacks, 1)

    def server(self, answer):
        """Starts a server that answers each request so, and returns its URL."""
        listener = socket.create_server(("127.0.0.1", 0))

        def serve():
            with listener:
                while True:
                    try:
                        with listener.accept()[0] as connection:
                            while not connection.recv(1 << 16).endswith(b"}"):
                                pass
                            connection.sendall(answer)
                    except OSError:
                        return

        threading.Thread(target=serve, daemon=True).start()
        self.addCleanup(listener.shutdown, socket.SHUT_RDWR)
        return "http://127.0.0.1:%d" % listener.getsockname()[1]

    def test_a_queue_that_cannot_be_opened_loses_nothing(self):
        log, publisher = self.logger(), self.publisher(queue_file="/dev/null/q")
        self.assertRaises(OSError, log.publish, publisher)
        publisher.queue_file = pathlib.Path(self.folder, "q")
        self.assertEqual(log.publish(publisher)["queued"], 2)

    def test_without_a_service(self):
        log, publisher = self.logger(), self.publisher(base_url="http://127.0.0.1:9", timeout_seconds=0.2)
        self.assertEqual(log.publish(publisher)["queued"], 2)
        self.assertRaises(OSError, publisher.publish_turtle, "<a:b> <a:c> 1 .")
        self.assertEqual(publisher.flush_queue(), [])
        self.assertRaises(RuntimeError, publisher.delete_all_ttls)
        self.assertEqual(len(publisher.queue_file.read_text().splitlines()), 1)

    def test_the_resolver_asks_the_service_and_counts_when_it_cannot(self):
        self.service.other = lambda path, body: (200, b'{"shared_context_uri":"https://e.example/ctx"}')
        resolver = segb.build_http_shared_context_resolver_from_env(env={
            "SEGB_API_URL": self.service.url + "/", "SEGB_API_TOKEN": "t", "SEGB_SHARED_CONTEXT_TIMEOUT_SECONDS": "2"})
        log = self.logger(shared_event_resolver=resolver)
        ask = dict(event_kind="k", observed_at=NOW, subject="maria", text="hi", modality="speech")
        self.assertEqual(str(log.get_shared_event_uri(**ask)), "https://e.example/ctx")
        self.assertEqual(self.service.others, [("/shared-context/resolve", {
            "event_kind": "k", "observed_at": "2026-02-10T12:00:00+00:00", "subject_uri": "maria", "modality": "speech",
            "text": "hi"})])
        for answer in (500, b""), (200, b"{}"), (200, b"[]"), (200, b"nonsense"):
            self.service.other = lambda path, body, answer=answer: answer
            self.assertTrue(log.get_shared_event_uri(**ask).startswith("https://gsi.upm.es/segb/shared-events/k_"))
        self.assertEqual(resolver.fallbacks, 4)
        resolver.raise_on_error = True
        self.assertRaises(ValueError, log.get_shared_event_uri, **ask)


if __name__ == "__main__":
    unittest.main()
