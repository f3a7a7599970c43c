"""How the client behaves when the service, the network or the process does not."""
import asyncio
import json
import multiprocessing
import os
import pathlib
import socket
import threading
import time
import unittest
from unittest import mock

from base import Case
from segraph import _process, _sender
from segraph._queue import lock_slot
from service import Service, fail, nodes, page, wait_for


class TestSender(Case):
    def test_everything_arrives_once_and_in_order(self):
        client = self.client(batch=7)
        for i in range(100):
            client.heard("sentence %d" % i)
        self.assertEqual(self.sent(client), ["sentence %d" % i for i in range(100)])
        status = client.status()
        self.assertEqual((status["queued"], status["bytes"], status["oldest"], status["sent"], status["last_error"]),
                         (0, 0, None, 101, None))
        self.assertLessEqual(max(self.service.requests), 7)

    def test_no_call_waits_for_the_network(self):
        with socket.socket() as silent:  # it accepts no connection, and the backlog is full
            silent.bind(("127.0.0.1", 0))
            silent.listen(0)
            client = self.client(url="http://127.0.0.1:%d" % silent.getsockname()[1])
            start = time.monotonic()
            for i in range(1000):
                client.heard("sentence %d" % i)
            self.assertLess(time.monotonic() - start, 2)
            self.assertFalse(client.flush(0.3))
            self.assertEqual(client.status()["queued"], 1001)
            self.assertAlmostEqual(client.status()["oldest"], time.time(), delta=60)

    def test_answers_of_trouble_are_waited_out(self):
        trouble = [fail(500), fail(503, Retry_After="0"), fail(429, Retry_After="1"), page(502), fail(401), fail(403),
                   page(404), fail(507), fail(408)]
        self.service.script = list(trouble)
        client = self.client(batch=1000)
        start = time.monotonic()
        client.heard("hello")
        self.assertTrue(wait_for(lambda: client.status()["last_error"]))
        self.assertEqual(self.sent(client), ["hello"])
        self.assertGreater(time.monotonic() - start, 1 + 3 * 0.2, "Retry-After and the waits after 401 count")
        self.assertEqual(self.service.requests, [2] * len(trouble) + [1, 1], "after 408 in halves")
        self.assertEqual(client.status()["refused"], 0)

    def nothing_sent(self):
        """Holds the sender back meanwhile, but for what it is sending, so that lines are sent together."""
        return mock.patch.object(_sender.Sender, "_send_some", return_value=False)

    def test_silence_and_lost_answers_repeat_nothing(self):
        def hang(handler, lines):
            for line in lines:
                self.service.store(line)
            wait_for(lambda: len(self.service.requests) > 4)

        def hang_up(handler, lines):
            for line in lines[:1]:
                self.service.store(line)
            handler.connection.shutdown(socket.SHUT_RDWR)

        def nonsense(handler, lines):
            handler.answer(200, b"not JSON\n", "application/x-ndjson")

        def too_few(handler, lines):
            handler.answer(200, b'{"status":201}\n', "application/x-ndjson")

        self.service.script = [hang_up, nonsense, too_few, hang]
        with mock.patch.object(_sender, "SILENCE", 2):  # a busy machine may be silent for less
            with self.nothing_sent():
                client = self.client()
                client.heard("one")
                client.heard("two")
            self.assertEqual(self.sent(client), ["one", "two"])
            self.assertEqual(self.service.requests, [3, 3, 3, 3, 1, 2], "after silence in halves")
            with self.nothing_sent():
                for i in range(9):
                    client.said("sentence %d" % i)
            self.sent(client)
        self.assertGreater(max(self.service.requests[6:]), 2)

    def test_a_body_that_is_too_large_is_halved(self):
        def limit(handler, lines):
            self.service.script.insert(0, limit)
            if len(lines) > 3:
                fail(413)(handler, lines)
            elif any(b"enormous" in line for line in lines):
                fail(413 if len(lines) == 1 else 422)(handler, lines)
            else:
                handler.answer(200, b"".join(map(self.service.store, lines)), "application/x-ndjson")

        self.service.script = [limit]
        client = self.client(batch=1000)
        for text in ["one", "two", "enormous", "three", "four"]:
            client.said(text)
        self.assertEqual(self.sent(client), ["one", "two", "three", "four"])
        self.assertEqual(client.status()["refused"], 1)

    def test_a_refused_line_is_kept_with_the_reason_and_reported(self):
        self.service.refuse = lambda line: {"status": 422, "detail": "no such thing"} if "bad" in str(line) else None
        client = self.client()
        client.said("good")
        client.said("bad")
        self.assertEqual(self.sent(client), ["good"])
        client.said("later")
        self.assertEqual(self.sent(client), ["good", "later"])
        [kept] = map(json.loads, pathlib.Path(client.folder, "0", "refused.jsonl").read_text("utf-8").splitlines())
        self.assertEqual(kept["answer"]["detail"], "no such thing")
        self.assertEqual(nodes(kept["line"])[1]["text"], "bad")
        incidents = [n for line in self.service.lines for n in nodes(line) if "sc:Incident" in n["type"]]
        self.assertEqual([n["label"] for n in incidents], ["1 events were refused: 422 no such thing"])

    def test_without_an_observation_that_is_refused_the_rest_is_stored(self):
        def refuse(line):
            if "observation" in line and "2" in str(line["observation"]["text"]):
                return {"status": 422, "detail": "no", "errors": [{"loc": ["body", "observation"]}]}

        self.service.refuse = refuse
        client = self.client()
        for i in range(4):
            client.heard("sentence %d" % i)
        self.assertEqual(sorted(self.sent(client)), ["sentence %d" % i for i in range(4)])
        plain = [line for line in self.service.lines if nodes(line)[-1].get("text") == "sentence 2"]
        self.assertEqual(["observation" in line for line in plain], [False])
        self.assertEqual(client.status()["refused"], 1)

    def test_lines_that_fail_alone_are_sent_again(self):
        failed = set()

        def refuse(line):
            if line["key"] not in failed and "3" in line["key"].rsplit("-")[-1]:
                failed.add(line["key"])
                return {"status": 503, "detail": "later", "retry_after": 0.01}

        self.service.refuse = refuse
        client = self.client()
        for i in range(40):
            client.said("sentence %d" % i)
        self.assertEqual(sorted(self.sent(client)), sorted("sentence %d" % i for i in range(40)))
        self.assertEqual(client.status()["last_error"], None)
        self.assertTrue(failed)

    def test_a_line_that_always_fails_holds_up_no_other(self):
        for whole in True, False:
            self.service.lines.clear()
            robot = self.client(queue=os.path.join(self.folder, str(whole)))
            bad = b"bad %d" % whole

            def act(handler, lines):
                if whole and any(bad in line for line in lines):
                    return fail(500)(handler, lines)
                answers = [b'{"status":500,"detail":"no"}\n' if bad in line else self.service.store(line) for line in lines]
                handler.answer(200, b"".join(answers), "application/x-ndjson")

            self.service.script = [act] * 2000
            for text in ["one", "two", bad.decode(), "three", "four"]:
                robot.said(text)
            with mock.patch.object(_sender, "LONGEST_WAIT", 0.005):
                self.assertEqual(self.sent(robot), ["one", "two", "three", "four"])
            self.assertEqual(robot.status()["refused"], 1)
            with open(os.path.join(robot._queue.path, "refused.jsonl"), "rb") as f:
                self.assertIn(bad, f.read())
            robot.close()
            self.service.script.clear()

    def test_a_proxys_limit_halves_too(self):
        robot = self.client()
        self.service.script = [page(413)]
        for i in range(4):
            robot.said(str(i))
        self.assertEqual(self.sent(robot), ["0", "1", "2", "3"])
        self.assertLess(max(self.service.requests[1:]), self.service.requests[0])

    def test_the_token_is_read_again_after_401(self):
        file = pathlib.Path(self.folder, "token")
        file.write_text("old\n")
        self.service.script = [fail(401)]
        client = self.client(token=file)
        self.assertTrue(wait_for(lambda: self.service.tokens))
        file.write_text("new\n")
        client.said("hello")
        self.sent(client)
        self.assertEqual((self.service.tokens[0], self.service.tokens[-1]), ("Bearer old", "Bearer new"))
        for i, token in enumerate(["made\r\n", lambda: "made\n"]):
            self.assertTrue(self.client(token=token, queue="%s/%d" % (self.folder, i)).flush(20))
            self.assertEqual(self.service.tokens[-1], "Bearer made")

    def test_a_token_that_cannot_be_sent_is_not_shown(self):
        file = pathlib.Path(self.folder, "token")
        file.write_text("sec\u00e9ret", "utf-8")
        for i, token in enumerate(["sec\nret", "sec\u00e9ret", lambda: "sec ret", file]):
            client = self.client(token=token, queue="%s/%d" % (self.folder, i))
            self.assertTrue(wait_for(lambda: client.status()["last_error"]))
            self.assertRegex(client.status()["last_error"], "^(ValueError: the token|UnicodeDecodeError)")
            self.assertNotIn("ret", client.status()["last_error"])

    def test_the_usual_ports(self):
        for url, *want in ("http://[::1]", "::1", 80), ("https://[2001:db8::5]/x", "2001:db8::5", 443), ("http://a:81", "a", 81):
            connection = _sender.Sender(None, "", (), url, None, None, 1, print)._connect()
            self.assertEqual([connection.host, connection.port], want)

    def test_a_service_that_comes_back(self):
        port = self.service.server.server_address[1]
        client = self.client()
        client.heard("before")
        self.sent(client)
        self.service.close()
        client.heard("while it was away")
        self.assertFalse(client.flush(0.5))
        again = Service(port)
        self.addCleanup(again.close)
        self.service.close = lambda: None
        client.heard("after")
        self.assertTrue(client.flush(20))
        self.assertEqual(again.texts(), ["while it was away", "after"])

    def test_closing_leaves_the_rest_for_the_next_start(self):
        self.service.script = [fail(503)] * 100000
        client = self.client()
        client.said("one")
        client.close(0.1)
        client.said("after close")
        self.assertEqual(client.status()["dropped"], 1)
        self.service.script = []
        self.assertEqual(self.sent(self.client()), ["one"])
        client.close()

    def test_closing_during_a_request_gives_up_the_queue_after_it(self):
        self.service.script = [lambda handler, lines: time.sleep(1.5)]
        with mock.patch.object(_sender, "SILENCE", 9):
            client = self.client()
            self.assertTrue(wait_for(lambda: self.service.requests))
            client.close(0)
        slot = client.folder + "/0"
        self.assertIsNone(lock_slot(slot))
        client._sender.join(20)
        os.close(lock_slot(slot))


class TestProcesses(Case):
    def test_the_status_is_sent_now_and_then(self):
        with mock.patch.object(_process, "STATUS_EVERY", 0.1):
            client = self.client()
            for n in range(3):
                time.sleep(0.2)
                client.said("sentence %d" % n)
                self.sent(client)
            time.sleep(0.5)
        found = [{v["propertyID"]: v["value"] for v in node["additionalProperty"]} for line in self.service.lines
                 for node in nodes(line) if node["id"].rpartition("/")[0].endswith("/state")]
        self.assertTrue(1 <= len(found) <= 3, found)
        self.assertEqual(sorted(found[-1]), ["log_dropped", "log_queued", "log_refused", "log_sent"])
        self.assertEqual(found[-1]["log_dropped"] + found[-1]["log_refused"], 0)
        self.assertGreaterEqual(found[-1]["log_sent"], 2, found)

    def test_threads(self):
        client = self.client()

        def talk(name):
            for i in range(200):
                client.said("%s %d" % (name, i))

        threads = [threading.Thread(target=talk, args=(name,)) for name in "abcd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        texts = self.sent(client)
        self.assertEqual(len(texts), 800)
        for name in "abcd":
            self.assertEqual([t for t in texts if t[0] == name], ["%s %d" % (name, i) for i in range(200)])
        self.assertEqual(len(self.service.keys), 801, "no id is given twice")

    def test_asyncio_tasks_have_their_own_causes(self):
        client = self.client()

        async def talk(name):
            heard = client.heard(name + " asks")
            with client.because(heard):
                for _ in range(3):
                    await asyncio.sleep(0.001)
                    client.said(name + " answers")
            client.said(name + " ends")

        async def main():
            await asyncio.gather(*[talk(name) for name in "ab"])
            return await asyncio.get_event_loop().run_in_executor(None, client.flush, 20)

        loop = asyncio.new_event_loop()
        self.assertTrue(loop.run_until_complete(main()))
        loop.close()
        ids = {n["text"]: n["wasGeneratedBy"] for line in self.service.lines for n in nodes(line) if "text" in n}
        for line in self.service.lines:
            for n in nodes(line):
                if "answers" in n.get("label", ""):
                    self.assertEqual(n["triggeredByActivity"], [ids[n["label"][0] + " asks"]])
                elif "ends" in n.get("label", ""):
                    self.assertNotIn("triggeredByActivity", n)

    def test_a_forked_child_has_its_own_queue(self):
        client = self.client()
        client.said("parent before")
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                client.said("child")
                os.write(write, b"y" if client.flush(10) and client.status()["sent"] == 1 else b"n")
                client.said("child leaves this behind")
            finally:
                os._exit(0)
        client.said("parent after")
        self.assertEqual(os.read(read, 1), b"y")
        os.waitpid(child, 0)
        os.close(read)
        os.close(write)
        self.assertTrue(wait_for(lambda: len(self.sent(client)) == 4), "the parent sends what its child left")
        self.assertEqual(sorted(self.service.texts()),
                         ["child", "child leaves this behind", "parent after", "parent before"])
        self.assertEqual(len({line["key"] for line in self.service.lines}), 5)

    def test_workers_of_multiprocessing(self):
        client = self.client()
        context = multiprocessing.get_context("fork")
        workers = [context.Process(target=client.said, args=("worker %d" % i,)) for i in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertTrue(wait_for(lambda: len(self.service.texts()) == 4))
        client.said("parent")
        self.assertEqual(sorted(self.sent(client)), ["parent"] + ["worker %d" % i for i in range(4)])

    def test_only_the_same_robot_sends_what_is_left(self):
        self.service.script = [fail(503)] * 100000
        left = self.client()
        left.said("one")
        left.close(0)
        self.service.script, self.service.tokens[:] = [], []
        other = self.client(robot="otto", token="otto")
        self.sent(other)
        time.sleep(0.5)
        self.assertEqual((set(self.service.tokens), self.service.texts()), ({"Bearer otto"}, []))
        self.client(token="iris")
        self.assertTrue(wait_for(lambda: self.service.texts() == ["one"]))
        self.assertEqual(self.service.tokens[-1], "Bearer iris")

    def test_two_clients_with_one_folder(self):
        first, second = self.client(), self.client(robot="otto")
        first.said("one")
        second.said("two")
        self.sent(first)
        self.assertEqual(sorted(self.sent(second)), ["one", "two"])


if __name__ == "__main__":
    unittest.main()
