"""Turns messages into calls of the client, by the maps of `segraph import` (docs/connect.md)."""
import collections
import decimal
import inspect
import itertools
import json
import math
import operator
import pathlib
import re
import struct

import yaml
from segraph import Client
from segraph._terms import Json, is_iri, quoted

COMPARE = {"==": operator.eq, "!=": operator.ne, ">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}
APPLY = {"*": operator.mul, "/": operator.truediv, "+": operator.add, "-": operator.sub}
LEVELS = {0: "ok", 1: "warning", 2: "error", 3: "stale", 4: "warning", 8: "error", 10: "debug", 16: "fatal", 20: "info", 30: "warning",
          40: "error", 50: "fatal"}
GOING = ("", "accepted", "active", "canceling", "cancelling", "executing", "paused", "pending", "preempting", "recalling", "running",
         "started", "waiting")
KINDS = ["", "person", "face", "body", "voice"]
CONSTANT = {"unit", "on", "every", "again", "answers", "within", "changes"}
PATH = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*"
VALUE = re.compile(r"(?:(%s) )?(%s|\*)(?: *([*+/-]) *(\d+(?:\.\d+)?))?" % (PATH, PATH))
FLOAT32 = re.compile(r"(sequence<)?float(32)?\b")  # in the types of ROS 2 and ROS 1
CONDITION = re.compile(r"(%s)(?: *(==|!=|>=|<=|>|<) *(.+))?" % PATH)


def get(value, path):
    for name in path.split("."):
        if isinstance(value, dict):
            value = value.get(name)
        else:
            kind, value = (kinds(value) or {}).get(name), getattr(value, name, None)
            value = shortest(value) if FLOAT32.match(kind or "") else value
    return ord(value) if isinstance(value, bytes) and len(value) == 1 else value  # byte in rclpy


def fields(message):
    """Returns the fields of a message of ROS 2, of ROS 1 or in JSON, or None for another value."""
    names = message if isinstance(message, dict) else kinds(message)
    return None if names is None else {name: get(message, name) for name in names}


def kinds(message):
    """Returns the types of the fields of a message of ROS 2 or ROS 1, or None for another value."""
    if hasattr(message, "get_fields_and_field_types"):
        return message.get_fields_and_field_types()
    names = getattr(message, "__slots__", None)
    return None if names is None else dict(itertools.zip_longest(names, getattr(message, "_slot_types", ())))


def shortest(value):
    """Returns the number with the fewest digits that a float32 stands for, 0.95 rather than 0.949999988079071; or those of a list."""
    if hasattr(value, "__len__"):
        return list(map(shortest, value))
    texts = ("%.*g" % (digits, value) for digits in (6, 7, 8, 9))
    return next((float(text) for text in texts if struct.pack("f", float(text)) == struct.pack("f", value)), value)


def as_text(value):
    """Returns a value as text: "" for None, JSON for lists and messages."""
    if isinstance(value, float):
        return digits(value)
    return value or "" if value is None or isinstance(value, str) else as_json(value)


def digits(number):
    return re.sub(r"\.0$", "", format(decimal.Decimal(repr(number)), "f"))


def as_json(value):
    """Returns a value in JSON, as `segraph import` writes it: NaN and infinities are null."""
    names = fields(value)
    if names is not None:
        return "{%s}" % ",".join(as_json(name) + ":" + as_json(names[name]) for name in sorted(names))
    if isinstance(value, float) and math.isfinite(value):
        return digits(value) if value == 0 or 1e-6 <= abs(value) < 1e21 else repr(value).replace("e-0", "e-")
    if value is None or isinstance(value, float):
        return "null"
    if isinstance(value, (bool, int, str)):
        return json.dumps(value, ensure_ascii=False).replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return "[%s]" % ",".join(map(as_json, value))


def fraction(value):
    return value if is_number(value) and 0 <= value <= 1 else None


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_set(value):
    """Reports whether a value is neither None, False, "", 0 nor NaN."""
    return bool(value) and value == value if isinstance(value, (bool, float, int, str)) else value is not None


def holds(value, compare, other):
    if not compare:
        return is_set(value)
    if value is None:
        return compare == "!="
    try:
        if is_number(value):
            return COMPARE[compare](value, float(other))
    except ValueError:
        pass
    return COMPARE[compare](str(value).lower() if isinstance(value, bool) else str(value), other)


def measured(value, unit):
    """Returns a number with a unit, as the client's Percent has one."""
    return type("Measured", (type(value),), {"unit": unit})(value)


def causes(ref):
    """Returns an event, and the message that it is about if there is one."""
    return [cause for cause in (ref, getattr(ref, "message", None)) if cause]


def seconds(text):
    return float(text[:-1]) * {"s": 1, "m": 60, "h": 3600}[text[-1]]


class Memory(collections.OrderedDict):
    """Remembers what was set or asked for last: 10,000 values."""

    def get(self, key, default=None):
        if key in self:
            self.move_to_end(key)
        return super().get(key, default)

    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > 10_000:
            self.popitem(last=False)


class Map:
    """Takes messages in the order of time. make(robot, base, name) returns the client of a robot."""

    def __init__(self, text="version: 1", make=lambda robot, base, name: Client(robot=robot, base=base, name=name)):
        m = yaml.safe_load(text)
        self.make, self.base, self.places = make, m.get("base"), m.get("places") or {}
        self.robots = m.get("robots") or {m.get("robot", "robot"): {}}
        self.people = {i: p.get("name", name) for name, p in (m.get("people") or {}).items() for i in p["same"]}
        topics = list((m.get("topics") or {}).items())
        for name in m.get("use", ["ros4hri", "ros2"]):
            path = pathlib.Path(__file__).parent / "builtin" / (name + ".yaml")
            topics += yaml.safe_load(path.read_text())["topics"].items()
        self.topics = []  # patterns, types or None for all, and rules or None
        for topic, rule in topics:
            try:
                rules = None if rule == "ignore" else read(rule)
            except (AttributeError, TypeError, ValueError) as error:
                raise ValueError("topic %s: %s" % (topic, error)) from None
            types = rules and rule.get("type")
            self.topics.append((topic, types and types.replace("/msg/", "/").split(), rules))
        self.clients, self.heard = {}, {}
        self.matches, self.decisions, self.events, self.last = Memory(), Memory(), Memory(), Memory()

    def find(self, topic, kind):
        """Returns a function that takes the topic's messages, or None."""
        kind = kind.replace("/msg/", "/")
        for robot, r in sorted(self.robots.items(), key=lambda item: -len((item[1] or {}).get("topics", ""))):
            prefix = (r or {}).get("topics", "")
            if not topic.startswith(prefix + "/"):
                continue
            for pattern, types, rules in self.topics:
                star = re.fullmatch(re.escape(pattern).replace(r"\*", "([^/]+)"), topic[len(prefix):])
                if star and (types is None or kind in types):
                    if rules is None:
                        return None
                    if robot not in self.clients:
                        self.clients[robot] = self.make(robot, self.base, (r or {}).get("name"))
                    return lambda m, at: self.take(robot, topic, rules, (star.groups() or [""])[-1], m, at)
            return None  # the topic is this robot's
        return None

    def take(self, robot, topic, rules, star, message, at):
        stamp = get(message, "header.stamp") or get(message, "stamp")
        if stamp is not None:
            sec = get(stamp, "sec") or get(stamp, "secs") or 0
            stamped = sec + (get(stamp, "nanosec") or get(stamp, "nsecs") or 0) / 1e9
            at = stamped if sec and abs(stamped - at) < 3600 else at
        root = message
        for rule in rules:
            texts = {name: v for name in rule["parse"] for v in [get(root, name)] if isinstance(v, str)}
            if texts:
                root = dict(fields(root), **{name: json_object(v) for name, v in texts.items()})
            felt = collections.Counter()
            for i, part in enumerate((get(root, rule["each"]) or ()) if "each" in rule else [root]):
                if fields(part) is not None:
                    Event(self, robot, topic, rule, star, part, i, felt, at).run()


def json_object(text):
    v = json.loads(text)
    if not isinstance(v, dict):
        raise ValueError("a JSON object is expected, found %.100s" % text)
    return v


def read(rule, outer=None):
    """Returns the rules in a rule of a map, with the verb and fields of each, and each and parse of what it is in. It raises ValueError,
    TypeError or AttributeError for what segraph import refuses."""
    r = {**(outer or {}), **rule, "parse": {**(outer or {}).get("parse", {}), **rule.get("parse", {})}}
    verbs = [name for name in rule if name not in ("type", "each", "parse", "rules", "if", "becomes")]
    if set(r["parse"].values()) - {"json"}:
        raise ValueError("parse takes json, not %s" % ", ".join(map(str, r["parse"].values())))
    if "if" in r and "becomes" in r or "type" in rule and outer is not None or "rules" in rule and (verbs or "if" in r or "becomes" in r):
        raise ValueError("a rule has if or becomes; beside rules: neither, but type")
    if "rules" in rule:
        del r["rules"]
        return [one for inner in rule["rules"] for one in read(inner, r)]
    if len(verbs) != 1 or not hasattr(Event, "do_%s" % verbs[0]):
        raise ValueError("a rule says one thing that happened, not %s" % verbs)
    r["verb"], fields = verbs[0], r.pop(verbs[0])
    r["fields"] = fields = {"on" if name is True else name: v for name, v in fields.items()}  # as YAML 1.1 reads on
    inspect.signature(getattr(Event, "do_" + r["verb"])).bind(None, **fields)
    if r["verb"] == "stopped" and set(fields) != {"while"} or r["verb"] == "event" and "class" not in fields:
        raise ValueError("stopped has while, and event a class")
    wrong = [v for name, v in fields.items() if isinstance(v, str) and name not in CONSTANT and v[:1] != "=" and not VALUE.fullmatch(v)]
    wrong += [r[word] for word in ("if", "becomes") if word in r and not CONDITION.fullmatch(r[word])]
    if wrong:
        raise ValueError("%s is neither a field nor a condition of one" % wrong)
    return [r]


class Event:
    """A message, or an element of its array, and a rule for it."""

    def __init__(self, m, robot, topic, rule, star, root, element, felt, at):
        self.map, self.client, self.robot, self.topic, self.rule = m, m.clients[robot], robot, topic, rule
        self.star, self.root, self.element, self.felt, self.at = star, root, element, felt, at

    def run(self):
        now, before = True, False
        for word in ("if", "becomes"):
            if word in self.rule:
                path, compare, other = CONDITION.fullmatch(self.rule[word]).groups("")
                now = holds(get(self.root, path), compare, other.strip('"'))
        if "becomes" in self.rule:
            before = self.swap("becomes", now, self.element)
        if now and not before:
            fields = {name: v if name in CONSTANT else self.value(v) for name, v in self.rule["fields"].items()}
            ref = getattr(self, "do_" + self.rule["verb"])(**fields)
            if ref:
                self.map.events[self.topic, round(self.at * 1000)] = ref

    def value(self, text):
        if not isinstance(text, str):
            return text
        if text.startswith("="):
            return text[1:]
        kind, path, op, number = VALUE.fullmatch(text).groups()
        v = self.star if path == "*" else get(self.root, path)
        if kind:
            n = get(self.root, kind)
            return (KINDS[int(n)] if is_number(n) and 0 <= n < len(KINDS) else kind), as_text(v)
        if op:
            return round(APPLY[op](v, float(number)), 6) if is_number(v) else None  # without the noise of arithmetic
        return v

    def swap(self, what, new, part):
        key = (self.topic, id(self.rule), what, part)
        old, self.map.last[key] = self.map.last.get(key), new
        return old

    def person(self, who):
        kind, name = who if isinstance(who, tuple) else ("", as_text(who))
        if kind not in ("", "person") and name:
            name, face = self.map.matches.get((self.robot, kind, name)), self.client._own + "face/" + quoted(name)
            if not name and kind == "face":
                return face
        if not name or name.startswith("__"):
            return None
        known = self.map.people.get(self.robot + "/" + name)
        if not known and is_iri(name):
            return name
        if not known:
            return self.client.person(name, name, permanent=False)
        return self.client.person(self.client.person_iri(self.robot) + "/" + quoted(name), known)

    def do_who(self, one, other=None, anonymous=None, confidence=1):
        for a, b in ((one, other), (other, one)):
            if isinstance(a, tuple) and isinstance(b, tuple) and b[0] == "person" and a[1] and b[1] and (
                    not is_number(confidence) or confidence >= 0.5):
                self.map.matches[(self.robot,) + a] = b[1]

    def do_heard(self, text, by=None, confidence=None, language=None, locale=None):
        text = as_text(text)
        if not text:
            return
        who = self.person(by)
        ref = self.client.heard(text, by=who, confidence=fraction(confidence), language=as_text(language) or as_text(locale), at=self.at)
        self.map.heard[self.robot] = ref, self.at, who, text
        return ref

    def recent(self, age):
        ref, at, who, text = self.map.heard.get(self.robot, (None, 0, None, None))
        return (ref, who, text) if 0 <= self.at - at <= seconds(age) else (None, None, None)

    def do_said(self, text, language=None, answers="0s"):
        text = as_text(text)
        if text:
            return str(self.client.said(text, answers=self.recent(answers)[0], language=as_text(language), at=self.at))

    def do_emotion(self, of, category, again="0s", confidence=None, intensity=None):
        who, category = as_text(category) and self.person(of), as_text(category)
        self.felt[who] += 1  # one message may have several emotions of a person
        last = who and self.swap("emotion", (category, self.at), (self.felt[who], who))
        if who and (not last or last[0] != category or self.at - last[1] > seconds(again) > 0):
            return self.client.emotion(who, category, confidence=fraction(confidence), intensity=fraction(intensity), at=self.at)

    def do_saw(self, who):
        return self.client.saw(self.person(who), at=self.at)

    def cause(self, why):
        """Returns what a message names by its topic and its stamp in seconds, by the id of a decision, or by its IRI; None if it is unknown."""
        if isinstance(why, str):
            return self.map.decisions.get((self.robot, why), why if is_iri(why) else None)
        topic, stamp = get(why, "topic"), get(why, "stamp")
        prefix = (self.map.robots[self.robot] or {}).get("topics", "")
        for off in (0, -1, 1) if isinstance(topic, str) and is_number(stamp) and math.isfinite(stamp) else ():
            for name in (topic, prefix + topic):  # the sender may have rounded the stamp
                if (name, round(stamp * 1000) + off) in self.map.events:
                    return self.map.events[name, round(stamp * 1000) + off]
        return None

    def do_decided(self, what, id=None, because=None, why=None, args=None, model=None):
        what, id, why, args, model = map(as_text, (what, id, why, args, model))
        if not what:
            return
        cause = self.cause(because)
        ref = self.client.decided(what, because=causes(cause), why=why or None, args=Json(args) if args else None, model=model or None,
                                  at=self.at, properties={} if cause else {"because": as_text(because) or None})
        if id:
            self.map.decisions[self.robot, id] = ref
        return ref

    def do_done(self, id, status):
        ref = self.map.decisions.get((self.robot, as_text(id)))
        words = isinstance(status, (str, bool))  # a number ends nothing
        status = {True: "succeeded", False: "failed"}[status] if isinstance(status, bool) else str(status or "").lower()
        if ref and words and status not in GOING and not self.map.last.get((self.robot, "done", ref)):
            self.map.last[self.robot, "done", ref] = True
            known = status in ("succeeded", "failed")
            self.client._done(ref, status if known else "failed", self.at, None if known else status)

    def do_intent(self, name, data=None, by=None, confidence=None, within="5s"):
        name, data, (ref, who, text) = as_text(name), as_text(data), self.recent(within)
        if name == "__raw_user_input__":
            try:
                heard = json.loads(data).get("input")
            except (AttributeError, ValueError):
                heard = None
            if isinstance(heard, str) and heard != text:
                return self.do_heard(heard, by, confidence)
        because = causes(ref) if who and who == self.person(by) else ()
        return self.client.event("Intent", label=re.sub("^__intent_", "", name).strip("_"), because=because, at=self.at,
                                 properties={"args": data or None, "confidence": fraction(confidence)})

    def do_state(self, place=None, unit=None, every=None, on=None, **values):
        inside = lambda p: all(is_number(get(place, k)) for k in "xy") and all(p[k][0] <= get(place, k) < p[k][1] for k in p)
        if isinstance(place, (str, int)):
            place = as_text(place) or None
        else:
            place = next((name for name, p in self.map.places.items() if inside(p)), None)
        values = {k: v for k, v in values.items() if isinstance(v, (bool, float, int, str)) and v == v and v != ""}  # NaN is no value
        last = self.map.last.get((self.topic, id(self.rule), "state", self.element))
        due = last is None or every is None and on is None or every is not None and self.at - last[0] >= seconds(every)
        now = dict(values, place=place)
        if isinstance(on, str):
            due = due or now.get(on) != last[1].get(on)
        elif on is not None:
            due = due or any(is_number(v) and is_number(last[1].get(k)) and abs(v - last[1][k]) >= on for k, v in values.items())
        if due and (place or values):
            self.swap("state", (self.at, now), self.element)
            self.client.state(place=place, at=self.at, **{k: measured(v, unit) if unit and is_number(v) else v for k, v in values.items()})

    def do_stopped(self, **fields):
        on = is_set(fields["while"])
        if on != bool(self.swap("stopped", on, self.element)):
            return self.client.stopped(on, at=self.at)

    def do_problem(self, text, level=None, part=None, changes=None):
        level, text, part = is_number(level) and LEVELS.get(level) or as_text(level), as_text(text), as_text(part)
        if changes and level == (self.swap("problem", level, part) or "ok"):
            return
        return self.client.problem(("recovered: " if level == "ok" else "") + text, level or None, part or None, at=self.at)

    def do_event(self, **fields):
        kind, of = as_text(fields.pop("class")), fields.pop("of", None)
        if kind:
            values = {k: v if isinstance(v, (bool, float, int)) else as_text(v) or None for k, v in fields.items()}
            return self.client.event(kind, of=self.person(of), properties=values, at=self.at)
