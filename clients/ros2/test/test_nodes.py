"""Tests of the nodes: that of ROS 2 against stubs of rclpy, since Debian has none; that of ROS 1 with Debian's rospy."""
import array
import importlib.util
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import types
import unittest

import yaml

HERE = pathlib.Path(__file__).resolve().parent
PYTHON = HERE.parent.parent / "python"
sys.path[:0] = [str(HERE.parent), str(PYTHON / "src"), str(PYTHON / "tests")]
from service import Service  # noqa: E402

MAP = """version: 1
base: https://museum.example/
robot: otto
people: {vol2: {same: [otto/vol2]}}
places: {hall: {x: [10, 30]}}
topics:
  /say: {said: {text: data, answers: 10s}}
  /decision: {parse: {data: json}, rules: [
    {if: data.action, decided: {id: data.id, what: data.action, why: data.why, because: data.because}},
    {if: data.status, done: {id: data.id, status: data.status}}]}
  /emergency_stop: {stopped: {while: data}}
  /pose: {state: {place: pose.position, on: place}}
  /odom: ignore
  /alien: {said: {text: data}}
"""


class Message(types.SimpleNamespace):
    def get_fields_and_field_types(self):
        return {name: "double" if isinstance(v, float) else "string" for name, v in vars(self).items()}


def message(**fields):
    return as_message(fields)


def as_message(value):
    """Returns a value of JSON as rclpy has it."""
    if isinstance(value, list):
        return [as_message(v) for v in value]
    return Message(**{k: as_message(v) for k, v in value.items()}) if isinstance(value, dict) else value


class Node:
    """A stub of rclpy.node.Node: topics has name, type and publisher, as a robot would have them."""

    topics, made, path = {}, None, ""

    def __init__(self, name):
        Node.made, self.callbacks, self.warnings, self.errors = self, {}, [], []

    def declare_parameter(self, name, default):
        return types.SimpleNamespace(value=Node.path)

    def create_timer(self, period, callback):
        self.timer = callback

    def get_topic_names_and_types(self):
        return [(name, [kind]) for name, kind in self.topics.items()]

    def get_publishers_info_by_topic(self, topic):
        """As Fast DDS tells it: history and depth are unknown."""
        lax = [("best effort", "volatile")] * (topic == "/pose")
        return [types.SimpleNamespace(qos_profile=Profile(0, *offer, history="unknown")) for offer in [("reliable", "transient local")] + lax]

    def create_subscription(self, cls, topic, callback, qos):
        if qos.history == "unknown":
            raise RuntimeError("Unknown QoS history policy")
        assert cls == self.topics[topic] and qos.depth > 0
        assert (qos.reliability, qos.durability) == (("best effort", "volatile") if topic == "/pose" else ("reliable", "transient local"))
        self.callbacks[topic] = callback

    def get_logger(self):
        return types.SimpleNamespace(info=lambda text: None, warning=self.warnings.append, error=self.errors.append)


class Profile(types.SimpleNamespace):
    """A stub of rclpy.qos.QoSProfile."""

    def __init__(self, depth, reliability, durability, history="keep last"):
        super().__init__(depth=depth, reliability=reliability, durability=durability, history=history)


def get_message(name):
    """A stub of rosidl_runtime_py's."""
    if name.startswith("alien_msgs/"):
        raise ModuleNotFoundError("No module named 'alien_msgs'")
    return name


class Nodes(unittest.TestCase):
    def setUp(self):
        self.service = Service()
        self.addCleanup(self.service.close)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.map = pathlib.Path(folder.name) / "map.yaml"
        self.map.write_text(MAP)
        self.env = {"SEGRAPH_URL": self.service.url, "SEGRAPH_QUEUE": folder.name + "/queue"}

    def graphs(self):
        return [line["graph"]["@graph"] for line in self.service.lines]

    def wait(self, n):
        until = time.monotonic() + 30
        while len(self.service.lines) < n and time.monotonic() < until:
            time.sleep(0.05)

    def test_rules(self):
        from segraph import Client
        from segraph_ros.mapping import Map, Memory

        class Told(Client):
            """A client whose events are added to told."""

            __init__ = lambda self, *args: super(Told, self).__init__(robot="robot")
            _start = lambda self: None
            _append = lambda self, line: told.append(line.decode())
            _node = lambda self, node: node["id"]  # introduces nobody

        def run(rule, messages, pattern="/x"):
            topic = pattern.replace("y/*", "y/z").replace("*", "a")
            take = Map(yaml.safe_dump({"use": [], "topics": {pattern: rule}}), Told).find(topic, "x/X")
            counts, lines = [], []
            for at, m in enumerate(messages, 10**9):
                told.clear()
                take(m, at)
                counts.append(len(told))
                lines += told
            texts[:] = lines
            return counts

        told, texts = [], []
        path = HERE.parents[2] / "robot" / "mapping" / "testdata" / "rules.yaml"
        for test in yaml.safe_load(path.read_text()):
            for messages in test["messages"], as_message(test["messages"]):
                with self.subTest(test["rule"]):
                    self.assertEqual(run(test["rule"], messages, test.get("topic", "/x")), test["told"])
                    for part in test.get("has", ()):
                        self.assertIn(part, "".join(texts))
                    for part in test.get("lacks", ()):
                        self.assertNotIn(part, "".join(texts))
        self.assertEqual(run({"heard": {"text": "data", "confidence": "c"}}, [{"data": "a", "c": float("nan")}]), [1])
        run({"decided": {"what": "=go", "args": "data"}}, [{"data": [float("nan"), 0.125]}, {"data": b"\x01\xff"}])
        self.assertIn('"[null,0.125]"', texts[0])
        self.assertIn('"[1,255]"', texts[1])
        nan = [{"data": float("nan")}, {"data": 0.125}]
        self.assertEqual(run({"stopped": {"while": "data"}}, nan), [0, 1])
        self.assertEqual(run({"if": "data < 0.2", "problem": {"text": "=low"}}, nan), [0, 1])
        match = [{"v": "v1", "p": "vol2"}] + [{"i": i} for i in range(10001)] + [{"t": "a", "v": "v1"}]
        run({"rules": [{"if": "p", "who": {"one": "voice v", "other": "person p"}}, {"if": "i", "decided": {"what": "=go", "id": "i"}},
                       {"if": "t", "heard": {"text": "t", "by": "voice v"}}]}, match)
        self.assertIn("/person/vol2", texts[-1])
        memory = Memory()
        for i in range(20000):
            memory[i] = memory.get(0, i)
        self.assertEqual((memory.get(0), memory.get(1), len(memory)), (0, None, 10000))
        two = Map(yaml.safe_dump({"use": [], "robots": {"iris": {"topics": "/iris"}, "otto": {}}, "topics": {"/*/x": {"said": {"text": "data"}}}}), Told)
        self.assertEqual([bool(two.find(topic, "x/X")) for topic in ("/iris/x", "/iris/a/x", "/a/x")], [False, True, True])
        self.assertEqual(run({"said": {"text": "data"}}, [{"data": 0.949999988079071}]), [1])
        self.assertIn('"text":"0.949999988079071"', texts[0])
        for types in ("float", "sequence<float>"), ("float32", "float32[3]"):  # of ROS 2 and ROS 1
            class Single:
                """A message with float32, which Python has as float64."""

                __slots__, _slot_types = ["percentage", "cells"], types
                if types[0] == "float":
                    get_fields_and_field_types = lambda self: dict(zip(self.__slots__, self._slot_types))

                def __init__(self, *numbers):
                    self.percentage, *self.cells = array.array("f", numbers)

            battery = {"state": {"battery": "percentage * 100", "on": 5}}
            self.assertEqual(run(battery, [Single(p / 100) for p in (95, 91, 90, 85, 80, 75, 70)]), [1, 0, 1, 1, 1, 1, 1])
            self.assertEqual([json.loads(text)["graph"]["@graph"][0]["additionalProperty"][0]["value"] for text in texts], [95, 90, 85, 80, 75, 70])
            run({"said": {"text": "cells"}}, [Single(1, 0.1, 1 / 3, 16777217, 1e30, 3.4028235e38, float("nan"))])
            self.assertIn('"[0.1,0.33333334,16777216,1e+30,3.4028235e+38,null]"', texts[0])
        for kind, levels, want in ("rcl_interfaces/msg/Log", (10, 20, 30, 40, 50), 3), ("rosgraph_msgs/Log", (1, 2, 4, 8, 16), 3):
            told.clear()
            take = Map("version: 1", Told).find("/rosout", kind)
            for level in levels:
                take({"level": level, "msg": "hot", "name": "arm"}, level)
            self.assertEqual(len(told), want, kind)
        for rule in ("{if: a, rules: [{said: {text: b}}]}", "{if: a, becomes: b, said: {text: c}}",
                     "{rules: [{if: a, becomes: b, said: {text: c}}]}", "{rules: [{type: x/Y, said: {text: c}}]}", "said",
                     "{sayd: {text: data}}", "{said: {txt: data}}", "{said: {}}", "{said: {text: a b c}}", "{if: a ~ b, said: {text: a}}",
                     "{if: a}", "{said: {text: a}, heard: {text: a}}", "{said: {text: a}, rules: [{said: {text: b}}]}",
                     "{rules: [{said: {text: a}}, {sad: {b: c}}]}", "{stopped: {when: a}}", "{event: {of: a}}"):
            with self.subTest(rule), self.assertRaisesRegex(ValueError, "topic /x: "):
                Map("version: 1\ntopics: {/x: %s}" % rule)
        self.assertTrue(Map("version: 1\ntopics: {/x: {type: a/msg/B, said: {text: data}}}", Told).find("/x", "a/msg/B"))

    def test_ros2(self):
        stubs = {"rclpy": types.ModuleType("rclpy"), "rclpy.node": types.ModuleType("rclpy.node"),
                 "rosidl_runtime_py": types.ModuleType("r"), "rosidl_runtime_py.utilities": types.ModuleType("u")}
        stubs["rclpy.node"].Node, stubs["rosidl_runtime_py.utilities"].get_message = Node, get_message
        qos = stubs["rclpy.qos"] = types.ModuleType("rclpy.qos")
        qos.QoSProfile, qos.ReliabilityPolicy = Profile, types.SimpleNamespace(RELIABLE="reliable", BEST_EFFORT="best effort")
        qos.DurabilityPolicy = types.SimpleNamespace(TRANSIENT_LOCAL="transient local", VOLATILE="volatile")
        stubs["rclpy"].init = lambda: None
        Node.path = str(self.map)
        Node.topics = {"/alien": "alien_msgs/msg/Text", "/say": "std_msgs/msg/String", "/odom": "nav_msgs/msg/Odometry", "/pose": "geometry_msgs/msg/PoseStamped",
                       "/decision": "std_msgs/msg/String", "/emergency_stop": "std_msgs/msg/Bool",
                       "/humans/voices/v1/speech": "hri_msgs/msg/LiveSpeech", "/humans/candidate_matches": "hri_msgs/msg/IdsMatch",
                       "/battery_state": "sensor_msgs/msg/BatteryState"}
        now = time.time()

        def spin(node):
            node.timer()
            node.timer()
            take = node.callbacks
            self.assertEqual(set(take), set(Node.topics) - {"/odom", "/alien"})
            take["/humans/candidate_matches"](message(id1="v1", id1_type=4, id2="vol2", id2_type=1, confidence=0.9))
            stamp = {"sec": int(now), "nanosec": 500000000}
            take["/humans/voices/v1/speech"](message(header={"stamp": stamp}, final="", confidence=0.0, language=""))
            take["/humans/voices/v1/speech"](message(header={"stamp": stamp}, final="Otto, stop!", confidence=0.97, locale="en_GB"))
            because = {"topic": "/humans/voices/v1/speech", "stamp": int(now) + 0.5}
            take["/decision"](message(data=json.dumps({"id": "g2", "action": "stop", "why": "an order", "because": because})))
            for status in ("running", 4, "succeeded"):
                take["/decision"](message(data=json.dumps({"id": "g2", "status": status})))
            take["/decision"](message(data=json.dumps({"id": "g3", "action": "wait", "because": "g2"})))
            take["/decision"](message(data=json.dumps({"id": "g4", "action": "go", "because": "a whim"})))
            take["/decision"](message(data="no JSON"))
            for on in (False, True, True, False):
                take["/emergency_stop"](message(data=on))
            for x in (5.0, 12.0, 13.0):
                take["/pose"](message(pose={"position": {"x": x, "y": 1.0}}))
            for percentage in (float("nan"), 0.5, 0.49, 0.40):
                take["/battery_state"](message(percentage=percentage))

        stubs["rclpy"].spin = spin
        self.addCleanup(lambda: [sys.modules.pop(name, None) for name in stubs])
        sys.modules.update(stubs)
        os.environ.update(self.env)
        self.addCleanup(lambda: [os.environ.pop(name) for name in self.env])
        from segraph_ros import ros2
        ros2.main()
        graphs = self.graphs()
        heard = next(g for g in graphs if "ListeningEvent" in str(g[0].get("type")))
        decided, after, later = (g for g in graphs if "DecisionMakingAction" in str(g[0].get("type")))
        self.assertEqual(heard[1]["sender"], "https://museum.example/person/otto/vol2")
        self.assertEqual(heard[1]["text"], {"@value": "Otto, stop!", "@language": "en-GB"})
        self.assertEqual(decided[0]["triggeredByActivity"], [heard[0]["id"]])
        self.assertEqual(decided[0]["triggeredByEntity"], [heard[1]["id"]])
        self.assertEqual(after[0]["triggeredByActivity"], [decided[0]["id"]])
        self.assertNotIn("triggeredByActivity", later[0])
        text = json.dumps(graphs)
        for what, n in {"CompletedActionStatus": 1, "sc:EmergencyStop": 2, "place/hall": 1, '"PERCENT"': 2}.items():
            self.assertEqual(text.count(what), n, what)
        self.assertEqual(len(Node.made.warnings), 1)
        self.assertIn("/decision: JSONDecodeError", Node.made.warnings[0])
        self.assertEqual(Node.made.errors, ["/alien is not read: ModuleNotFoundError: No module named 'alien_msgs'"])

    @unittest.skipUnless(importlib.util.find_spec("rospy") or os.environ.get("SEGRAPH_REQUIRE_ALL"), "no rospy: apt-get install python3-rospy python3-rosmaster")
    def test_ros1(self):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        env = dict(os.environ, **self.env, ROS_MASTER_URI="http://127.0.0.1:%d" % port, ROS_IP="127.0.0.1", ROS_HOME=str(self.map.parent),
                   PYTHONPATH=os.pathsep.join(sys.path), PYTHONDONTWRITEBYTECODE="1")

        def start(*args):
            process = subprocess.Popen(args, env=env, stdin=subprocess.PIPE, stdout=sys.stderr)
            self.addCleanup(process.stdin.close)
            self.addCleanup(process.wait)
            self.addCleanup(process.terminate)
            return process

        start("rosmaster", "--core", "-p", str(port))
        for _ in range(300):  # a node that begins before the master may wait for ever
            with socket.socket() as s:
                if s.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        start(sys.executable, "-m", "segraph_ros.ros1", "_map:=" + str(self.map))
        start(sys.executable, "-c", "import rospy, time\nfrom std_msgs.msg import Bool, String\nrospy.init_node('robot')\n"
              "class Alien(String): _type = 'alien_msgs/Text'\nalien = rospy.Publisher('/alien', Alien, queue_size=9)\n"
              "say, stop = rospy.Publisher('/say', String, queue_size=9), rospy.Publisher('/emergency_stop', Bool, queue_size=9)\n"
              "while not rospy.is_shutdown():\n  for p in (say, stop):\n    p.publish('Hello!' if p is say else True)\n  time.sleep(0.2)")
        self.wait(4)
        text = json.dumps(self.graphs())
        self.assertIn('"Hello!"', text)
        self.assertEqual(text.count("sc:EmergencyStop"), 1)


if __name__ == "__main__":
    unittest.main()
