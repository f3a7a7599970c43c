"""The queue on disk: kills, damage, limits and a full disk."""
import errno
import os
import pathlib
import shutil
import subprocess
import sys
import textwrap
import threading
import time
import unittest
from unittest import mock

from base import HERE, SOURCE, Case
from segraph import _queue
from segraph._queue import Queue, own_slot
from service import fail, nodes, wait_for


class TestQueue(Case):
    def queue(self, **settings):
        path, lock = own_slot(os.path.join(self.folder, "q"))
        queue = Queue(path, lock, **settings)
        self.addCleanup(queue.abandon)
        return queue

    def fill(self, queue, *lines):
        for line in lines:
            self.assertTrue(queue.append(line, time.time_ns()))

    def read_all(self, queue, lines=1000, size=1 << 20):
        found = []
        while True:
            got, n, length = queue.read(lines, size)
            if not length:
                return found
            found += got
            queue.acknowledge(n, length, n - len(got))

    def test_lines_survive_a_kill_and_are_read_once(self):
        lines = [b'{"n":%d}' % i for i in range(1000)]
        queue = self.queue(limit=80000)  # segments of 10,000 bytes
        self.fill(queue, *lines[:600])
        got, n, length = queue.read(100, 1 << 20)
        queue.acknowledge(n, length)
        self.assertEqual(got, lines[:100])
        self.assertEqual(queue.read(1, 1 << 20)[0], lines[100:101], "not acknowledged, so returned again")
        queue.abandon()  # as a kill does
        queue = self.queue(limit=80000)
        self.assertEqual(queue.count()[0], 500)
        self.fill(queue, *lines[600:])
        self.assertEqual(self.read_all(queue, 7, 100), lines[100:])
        self.assertEqual(queue.count(), (0, 0))
        queue.close()
        self.assertEqual([n for n in os.listdir(queue.path) if n.endswith(".log")], [])
        queue = self.queue()
        self.fill(queue, b"1")
        queue.abandon()
        self.assertEqual(self.read_all(self.queue()), [b"1"])

    def test_a_segment_that_somebody_harms_loses_only_what_it_had(self):
        for harm in (lambda f: os.truncate(f, 0)), os.remove, (lambda f: os.truncate(f, 70)):
            queue = self.queue()
            self.fill(queue, *[b"old"] * 100)
            harm(os.path.join(queue.path, "%08d.log" % queue.end()[0]))
            self.read_all(queue)
            self.fill(queue, *[b"new"] * 50)
            self.assertEqual(self.read_all(queue), [b"new"] * 50)
            queue.close()

    def test_a_folder_that_somebody_removes_is_made_again(self):
        path, lock = own_slot(os.path.join(self.folder, "q"), "iris")
        queue = Queue(path, lock)
        self.fill(queue, b"old")
        shutil.rmtree(os.path.join(self.folder, "q"))
        self.assertEqual(self.read_all(queue), [])
        self.fill(queue, b"new")
        self.assertNotEqual(own_slot(os.path.join(self.folder, "q"), "iris")[0], path, "it is taken")
        self.assertEqual(self.read_all(queue), [b"new"])
        with open(os.path.join(path, "lock")) as f:
            self.assertEqual(f.read(), "iris")
        queue.close()

    def test_after_a_loss_the_robot_is_introduced_again(self):
        client = self.client(name="Iris", max_queue="80KB")
        self.sent(client)
        maria, planner = client.person("maria", "María"), client.model("planner", "2")
        for _ in range(2):
            client.heard("one", by="zoe")
            client.heard("one", by=maria, model=planner)
        with client._queue.lock:
            client._queue.lost += 3
        client._dirty.set()
        wait_for(lambda: client.status()["dropped"] == 3 and client._queue.lost == 0)
        for _ in range(2):
            client.heard("two", by="zoe")
            client.heard("two", by=maria, model=planner)
        self.sent(client)
        self.assertEqual([n["name"] for line in self.service.lines for n in nodes(line) if n.get("type") == "Robot"], ["Iris"] * 2)
        for node in ({"id": maria, "type": ["Human", "prov:Person"], "name": "María"}, {"id": client.person_iri("zoe"), "type": ["Human", "prov:Person"]},
                     {"id": planner, "type": "Model", "label": "planner", "version": "2"}):
            self.assertEqual([n for line in self.service.lines for n in nodes(line) if n.get("id") == node["id"]], [node] * 2)

    def test_any_torn_end_is_cut_off(self):
        queue = self.queue()
        self.fill(queue, b'{"n":1}', b'{"n":"' + b"x" * 50 + b'"}')
        queue.abandon()
        file = pathlib.Path(queue.path, "00000001.log")
        whole = file.read_bytes()
        first = whole.index(b"\n") + 1
        for end in range(len(whole) + 1):
            file.write_bytes(whole[:end])
            queue = self.queue()
            expect = [b'{"n":1}'] if end >= first else []
            self.assertEqual(queue.count()[0], len(expect) + (end == len(whole)), end)
            self.fill(queue, b"after")
            self.assertEqual(self.read_all(queue)[: len(expect)], expect)
            self.assertEqual(queue.lost, 0)
            queue.abandon()
            os.remove(os.path.join(queue.path, "sent"))
        for tail in b"\0" * 100, b"\0" * 100 + b"\n", b"00000000 1 x\n", b"\n\n\n":
            file.write_bytes(whole + tail)
            queue = self.queue()
            self.assertEqual(len(self.read_all(queue)), 2, tail)
            queue.abandon()
            os.remove(os.path.join(queue.path, "sent"))

    def test_damage_inside_is_skipped_and_counted(self):
        queue = self.queue(limit=800)
        self.fill(queue, *[b'{"n":%d}' % i for i in range(12)])
        queue.abandon()
        file = pathlib.Path(queue.path, "00000001.log")
        whole = file.read_bytes()
        self.assertLess(whole.count(b"\n"), 12)
        file.write_bytes(whole.replace(b'"n":1}', b'"n":7}', 1)[:-1] + b"?")
        queue = self.queue(limit=800)
        got = self.read_all(queue)
        self.assertEqual(len(got), 12 - 2)
        self.assertEqual(queue.lost, 1, "the end without a line break is no line")

    def test_a_segment_that_cannot_be_read_is_skipped_and_counted(self):
        queue = self.queue(limit=800)
        self.fill(queue, *[b'{"n":%d}' % i for i in range(12)])

        def failing(number, end):
            def act(path, *args, **named):
                if path.endswith(end):
                    raise OSError(number, path)
                return open(path, *args, **named)

            return mock.patch.object(_queue, "open", act, create=True)

        with failing(errno.EMFILE, ".log"):
            self.assertRaises(OSError, self.read_all, queue)
        os.remove(os.path.join(queue.path, "00000002.log"))
        self.assertEqual(self.read_all(queue), [b'{"n":%d}' % i for i in (0, 1, 2, 6, 7, 8, 9, 10, 11)])
        self.assertEqual(queue.lost, 3)
        self.fill(queue, b"one")
        queue.abandon()
        with failing(errno.EIO, "05.log"):
            queue = self.queue(limit=800)
            self.fill(queue, b"two")
            self.assertEqual(self.read_all(queue), [b"two"])
        self.assertEqual((queue.lost, queue.count()), (1, (0, 0)))

    def test_the_oldest_are_dropped_over_the_limit(self):
        queue = self.queue(limit=8000)
        lines = [b'{"n":%d}' % i for i in range(2000)]
        self.fill(queue, *lines)
        size = sum(f.stat().st_size for f in pathlib.Path(queue.path).glob("*.log"))
        lost = queue.lost
        self.assertGreater(size, 8000, "until the loss is reported, nothing is removed")
        queue.reported(lost)
        self.assertLessEqual(sum(f.stat().st_size for f in pathlib.Path(queue.path).glob("*.log")), 8000)
        self.assertEqual(queue.lost, 0)
        self.assertEqual(self.read_all(queue), lines[lost:])

    def test_what_is_being_sent_is_not_dropped(self):
        queue = self.queue(limit=8000)
        lines = [b'{"n":%d}' % i for i in range(500)]
        self.fill(queue, *lines[:10])
        got, n, length = queue.read(5, 1 << 20)
        self.fill(queue, *lines[10:])
        queue.acknowledge(n, length)
        rest = self.read_all(queue)
        self.assertEqual(len(got) + len(rest) + queue.lost, 500)
        self.assertEqual(got + rest[:5], lines[:10])

    def test_a_lost_position_sends_everything_again(self):
        queue = self.queue()
        self.fill(queue, b"1", b"2")
        self.assertEqual(len(self.read_all(queue)), 2)
        queue.abandon()
        for text in "", "7", "x y", "1 9999":
            pathlib.Path(queue.path, "sent").write_text(text)
            queue = self.queue()
            self.assertEqual(queue.count()[0], 2)
            queue.abandon()

    def test_a_slot_has_one_owner(self):
        queue = self.queue()
        self.assertNotEqual(self.queue().path, queue.path)
        queue.abandon()
        self.assertEqual(self.queue().path, queue.path)


class TestLosses(Case):
    def incidents(self):
        return [n["label"] for line in self.service.lines for n in nodes(line) if "sc:Incident" in n["type"]]

    def test_a_full_queue_says_how_much_was_lost(self):
        self.service.close()
        self.service.close = lambda: None
        counts = []
        client = self.client(max_queue="80K", on_drop=counts.append)
        for i in range(1000):
            client.said("sentence %d" % i)
        self.assertLess(client.status()["bytes"], 80 << 10)
        client.close(0)
        dropped = client.status()["dropped"]
        self.assertGreater(dropped, 500)
        self.assertEqual(sum(counts), dropped)
        from service import Service
        self.service = Service()
        self.addCleanup(self.service.close)
        texts = self.sent(self.client())  # its own line must drop nothing
        self.assertEqual(self.incidents()[-1], "%d events were lost: the queue or the disk was full" % dropped)
        self.assertEqual(len(self.service.lines) + dropped, 1000 + 2 * len(counts) + 2, "sentences, incidents and robots")
        self.assertEqual(texts[-1], "sentence 999")

    def test_a_loss_that_was_reported_stays_in_the_total(self):
        client, totals = self.client(), []

        class Guard:
            lock = threading.Lock()

            def __enter__(self):
                self.lock.acquire()

            def __exit__(self, *exc):
                totals.append(client.status()["dropped"])  # what another thread's report adds to
                self.lock.release()

        client._queue.lost = 7
        client._guard = Guard()
        client._report(client._queue)
        self.assertEqual(set(totals), {7})

    def test_a_full_disk(self):
        """A limit on the size of files has the same effect as a full disk: a line is written in part, or not at all."""
        script = """
            import resource, sys
            sys.path[:0] = [%r, %r]
            import logging
            logging.disable(logging.CRITICAL)
            from segraph import Client
            client = Client(%r, "iris", queue=%r)
            assert client.flush(10)
            soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
            resource.setrlimit(resource.RLIMIT_FSIZE, (5000, hard))
            for i in range(50):
                client.said("sentence %%d" %% i)
            lost = client.status()["dropped"]
            assert 20 < lost < 50, lost
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
            for i in range(50, 60):
                client.said("sentence %%d" %% i)
            assert client.status()["dropped"] == lost, client.status()
            print(lost)
            client.close(10)
        """ % (HERE, SOURCE, self.service.url, self.folder + "/queue")
        lost = int(subprocess.check_output([sys.executable, "-c", textwrap.dedent(script)], timeout=60))
        texts = self.service.texts()
        self.assertEqual(self.incidents(), ["%d events were lost: the queue or the disk was full" % lost])
        arrived = [*range(50 - lost), *range(50, 60)]
        self.assertEqual(texts, ["sentence %d" % i for i in arrived])

    @unittest.skipUnless(sys.platform == "linux" and os.geteuid() == 0, "mounting a small disk needs root")
    def test_a_disk_without_room(self):
        disk = os.path.join(self.folder, "disk")
        os.mkdir(disk)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "none", disk], check=True)
        self.addCleanup(subprocess.run, ["umount", "--lazy", disk], check=True)
        self.service.script = [fail(503)] * 100000  # nothing is sent meanwhile
        counts = []
        client = self.client(queue=disk + "/queue", on_drop=counts.append)
        n = 0
        while client.status()["dropped"] < 100:
            client.said("sentence %d" % n)
            n += 1
            self.assertLess(n, 5000, "the disk should be full by now")
        self.assertEqual(counts, [], "there is no room for the incident yet")
        with self.assertRaises(OSError):
            pathlib.Path(disk, "more").write_bytes(bytes(9000))
        lost = client.status()["dropped"]
        subprocess.run(["mount", "-o", "remount,size=4m", disk], check=True)
        for i in range(n, n + 50):
            client.said("sentence %d" % i)
        self.assertEqual(client.status()["dropped"], lost, client.status())
        self.assertTrue(wait_for(lambda: counts == [lost]), counts)
        self.service.script = []
        texts = self.sent(client)
        self.assertEqual(self.incidents(), ["%d events were lost: the queue or the disk was full" % lost])
        self.assertEqual(len(texts), n + 50 - lost)
        self.assertEqual(texts[-50:], ["sentence %d" % i for i in range(n, n + 50)])
        client.close()

    def test_an_event_that_is_too_large(self):
        client = self.client()
        client.said("x" * 300000)
        client.said("small")
        self.assertEqual(self.sent(client), ["small"])
        self.assertEqual(client.status()["refused"], 1)
        self.assertEqual(self.incidents(), ["1 events were refused: an event is too large"])

    def test_every_durability_sends(self):
        for durable in "group", "each", "none":
            folder = os.path.join(self.folder, durable)
            client = self.client(durable=durable, queue=folder, max_queue="16K")
            for _ in range(20):
                client.said(durable)
            self.assertEqual(self.sent(client).count(durable), 20)
            if sys.platform == "linux":
                files = [os.path.realpath("/proc/self/fd/" + n) for n in os.listdir("/proc/self/fd")]
                self.assertEqual(sum(f.startswith(folder) and ".log" in f for f in files), 1)


class TestKills(Case):
    def test_kills_of_the_robot_lose_and_repeat_nothing(self):
        """A robot is killed again and again. Each call that returned must arrive exactly once."""
        script = """
            import sys
            sys.path[:0] = [%r, %r]
            import logging
            logging.disable(logging.CRITICAL)
            from segraph import Client
            client = Client(%r, "iris", queue=%r, batch=20)
            i = 0
            while True:
                client.said("%%s %%d" %% (sys.argv[1], i))
                print(i, flush=True)
                i += 1
        """ % (HERE, SOURCE, self.service.url, self.folder + "/queue")
        returned = []
        for run in range(8):
            robot = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script), str(run)], stdout=subprocess.PIPE)
            first = robot.stdout.readline()
            time.sleep(0.02 * run + 0.25 * (run % 2))
            robot.kill()
            last = int((first + robot.stdout.read()).split(b"\n")[-2])
            robot.wait()
            robot.stdout.close()
            returned += ["%d %d" % (run, i) for i in range(last + 1)]
        texts = self.sent(self.client())
        self.assertEqual(len(texts), len(set(texts)), "twice")
        self.assertEqual(sorted(set(returned) - set(texts)), [], "lost")
        self.assertLessEqual(len(texts) - len(returned), 8, "only the call of the kill may be there too")


if __name__ == "__main__":
    unittest.main()
