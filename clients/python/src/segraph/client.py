"""The client: what happened becomes JSON-LD in the queue."""
from __future__ import annotations

import contextlib
import contextvars
import hashlib
import itertools
import json
import logging
import ssl
import time
from json.encoder import c_make_encoder, encode_basestring  # type: ignore[attr-defined]
from typing import Any, Callable, Dict, Iterable, Iterator, List, Set, Tuple, TypeVar, Union

from ._process import Process
from ._sender import Token
from ._terms import BIG6, LANGUAGE, STATUS, Clock, Entity, Json, Ref, Time, fraction, iri, is_iri, part, quoted, string, value

log = logging.getLogger("segraph")

Because = Union[str, Iterable[str]]
Node = Dict[str, Any]
R = TypeVar("R")

CONTEXT = "/context.jsonld"
BASE = "urn:segraph:"
KNOWN = 10_000  # people and models that are remembered
_encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
# _encoder makes this anew for each text, which takes as long as encoding it.
_parts = c_make_encoder and c_make_encoder(None, _encoder.default, encode_basestring, None, ":", ",", False, False, False)


def encode(value: Any) -> str:
    try:
        return "".join(_parts(value, 0)) if _parts else _encoder.encode(value)
    except RecursionError:
        raise ValueError("JSON cannot hold what holds itself, or nests so deeply") from None


class Decision(Ref):
    """The IRI of a decision. done says how it ended."""

    __slots__ = ("_client",)
    _client: "Client"

    def done(self, status: str = "succeeded", at: Time = None) -> "Decision":
        """Logs that what was decided "succeeded", "failed" or was "cancelled"."""
        self._client._done(self, status, at)
        return self


class Client(Process):
    """Logs what one robot does.

    url is the address of the service, or $SEGRAPH_URL, or http://localhost:5000. robot is the robot's id, or
    $SEGRAPH_ROBOT; name is shown instead of it. base begins the IRIs of all robots, people and events of one site,
    such as "https://museum.example/". token is a token of a logger, a pathlib.Path of a file that has it, or a
    function that returns it; or $SEGRAPH_TOKEN. tls is a file of certificates to trust, or an ssl.SSLContext. user is
    the name that the logs are filed under. With resolve=False, no event is compared with those of other robots.

    Calls write to files in the folder queue, or $SEGRAPH_QUEUE, or one in ~/.local/state/segraph, and return. One
    thread sends the lines in order, at most batch in a request, and repeats that until the service has stored or
    refused each one. Each is stored once. Nothing waits for the network, not even this constructor, which raises
    ValueError, TypeError and OSError. Later calls raise only TypeError, ValueError and OverflowError, for arguments.

      - A kill of the process loses nothing that a call has returned for. A power cut loses at most the last 0.2 s
        with durable="group", nothing with "each", where each call waits for the disk, and what the system has not
        written with "none".
      - Over max_queue bytes ("256MB"), the oldest 4 MB are dropped. If the disk is full, new lines are. Both are
        counted, and logged as an incident as soon as possible; on_drop(count) is called, in another thread, or in
        the caller's if there is no queue, as after close.
      - No answer for 30 s, no connection, 408, 425, 429 and 5xx: sent again after 0.1 s, doubling to 60 s, with
        jitter, or after Retry-After. 401, 403, 404 and answers of other programs: after 60 s, with the token read
        again. 408, 413, no answer and 500 ten times: in halves.
      - A refused line goes to refused.jsonl beside the queue with the reason, and is counted and logged as an
        incident. So does one that alone got 500, or 413 of a proxy, for an hour or two. If only its observation was
        refused, the rest is stored.
      - Every ten minutes in which events were sent, a state of the robot says how many of them are queued, were sent,
        dropped and refused: log_queued, log_sent, log_dropped, log_refused.
      - Times are the clock's, even if it is set back. The order is that of the calls.
      - All methods may be called in any thread, in asyncio and after a fork, but none in a signal handler. Several
        processes may use one folder: each has its own queue there, and sends those of the robot's processes that ended.
      - What was queued for one URL goes to that of the robot's next start, since a service may move. For two services,
        name two folders.

    Every call has these arguments where they make sense: because is the Ref of what caused it, an IRI, or several; at
    is when it happened, until when it ended (a datetime or seconds since 1970; by default now); model is the Ref, IRI
    or name of the model that was used; place is an IRI or a name; id makes the IRI of the event, for importers that
    may run twice. A person is an IRI, a name that means one person at all robots, or the result of person().
    """

    def __init__(self, url: str | None = None, robot: str | None = None, *, base: str | None = None,
                 name: str | None = None, token: Token = None, queue: str | None = None,
                 user: str | None = None, batch: int = 200, max_queue: int | str = "256MB",
                 durable: str = "group", tls: str | ssl.SSLContext | None = None, resolve: bool = True,
                 on_drop: Callable[[int], None] | None = None) -> None:
        super().__init__(url, robot, token, queue, batch, max_queue, durable, tls, on_drop)
        self.base, self.user, self.resolve = base or BASE, user, resolve
        if not is_iri(self.base) or self.base[-1] not in "/:" or "#" in self.base:
            raise ValueError("base must be an IRI without # that ends in / or :, not %r" % self.base)
        self.robot = iri(self.base, "robot", self.robot_id)
        self._own = self.robot + "/"
        self._causes: "contextvars.ContextVar[Tuple[str, ...]]" = contextvars.ContextVar("segraph_causes", default=())
        self._clock, self._numbers = Clock(), itertools.count(1)
        self._known: Dict[str, Node] = {}  # what was logged once
        self._lost: Set[str] = set()  # of these, what the queue may have lost since
        self._name = name or self.robot_id
        self._start()
        self._introduce()

    # What happens.

    def heard(self, text: str, by: str | None = None, *, confidence: float | None = None,
              language: str | None = None, shared: bool = True, because: Because = (), at: Time = None,
              until: Time = None, model: str | None = None, place: str | None = None, id: str | None = None) -> Ref:
        """Logs a sentence that by said. confidence is that of the recognizer, language a tag such as "es", or
        a locale such as "es_ES"; anything else is not logged."""
        node, t = self._activity("heard", "ListeningEvent", "heard", because, at, until, model, place, id)
        message = self._message(node, string(text), "InitialMessage", by and self.person_iri(by), language)
        if confidence is not None:
            self._values(message, {"confidence": float(fraction(confidence, "confidence"))})
        seen = self._observation("human_utterance", "speech", t, node["id"], by, text, place) if shared else None
        return self._log([node, message], node["id"], Ref(node["id"], message["id"]), seen, by, model)

    def said(self, text: str, to: str | None = None, *, answers: str | None = None, language: str | None = None,
             because: Because = (), at: Time = None, until: Time = None, model: str | None = None,
             place: str | None = None, id: str | None = None) -> Ref:
        """Logs a sentence that the robot said to somebody. answers is the Ref of the sentence that it answers."""
        because = self._all(because) + ([answers] if answers else [])
        node, _ = self._activity("said", "ResponseAction", string(text)[:80], because, at, until, model, place, id)
        message = self._message(node, text, "ResponseMessage", self.robot, language)
        if answers:
            message["wasDerivedFrom"] = getattr(answers, "message", None) or answers
        if to:
            message["schema:recipient"] = {"id": self.person_iri(to)}
        return self._log([node, message], node["id"], Ref(node["id"], message["id"]), None, to, model)

    def emotion(self, of: str, category: str, *, intensity: float | None = None, confidence: float | None = None,
                because: Because = (), at: Time = None, until: Time = None, model: str | None = None,
                place: str | None = None, id: str | None = None) -> Ref:
        """Logs an emotion of a person: happiness, sadness, anger, fear, disgust, surprise, an IRI or a word of your
        own. intensity and confidence are from 0 to 1."""
        node, _ = self._activity("emotion", "EmotionAnalysis", string(category), because, at, until, model, place, id)
        annotation = node["producedEntityResult"] = part(node["id"], "annotation")
        emotion = {"id": part(node["id"], "emotion"), "type": "Emotion",
                   "hasEmotionCategory": BIG6.get(category.lower()) or iri(self.base, "emotion", category)}
        if intensity is not None:
            emotion["hasEmotionIntensity"] = fraction(intensity, "intensity")
        if confidence is not None:
            emotion["algorithmConfidence"] = fraction(confidence, "confidence")
        nodes = [node, {"id": annotation, "type": ["Annotation", "EmotionAnnotation"], "hasTarget": self.person_iri(of),
                        "hasEmotion": emotion}]
        return self._log(nodes, node["id"], Ref(node["id"], annotation=annotation), None, of, model)

    def saw(self, who: str | None = None, *, what: str | None = None, modality: str = "vision",
            shared: bool = True, because: Because = (), at: Time = None, until: Time = None, model: str | None = None,
            place: str | None = None, id: str | None = None) -> Ref:
        """Logs that the robot noticed a person, or what, a thing in words."""
        kind, cls = ("human_presence", "DetectedHumanEvent") if what is None else ("object_presence", "Observation")
        label = "saw " + string(what or "somebody", "what")
        node, t = self._activity("saw", cls, label, because, at, until, model, place, id)
        if shared and self.resolve:
            return self._log([node], node["id"], Ref(node["id"]),
                             self._observation(kind, modality, t, node["id"], who, what, place), who, model)
        event = self._about(node, who, what)
        return self._log([node, event], node["id"], Ref(node["id"], event=event["id"]), None, who, model)

    def decided(self, what: str, *, why: str | None = None, args: Any = None, options: Iterable[str] = (),
                because: Because = (), at: Time = None, until: Time = None, model: str | None = None,
                place: str | None = None, id: str | None = None,
                properties: Dict[str, Any] | None = None) -> Decision:
        """Logs a decision: what it was, why in words, its arguments (JSON), and the options there were."""
        node, _ = self._activity("decided", "DecisionMakingAction", string(what), because, at, until, model, place, id)
        members = {"why": why, "args": args if args is None or isinstance(args, Json) else encode(args)}
        members.update(("option%d" % i, string(option, "an option")) for i, option in enumerate(options, 1))
        self._values(node, {**members, **(properties or {})})
        ref = Decision(node["id"])
        ref._client = self
        return self._log([node], node["id"], ref, None, None, model)

    def _done(self, decision: str, status: str, at: Time, word: str | None = None) -> None:
        """word is what another program calls the status."""
        if status not in STATUS:
            raise ValueError("status must be one of %s, not %r" % (", ".join(STATUS), status))
        node = {"id": str(decision), "endedAtTime": self._time(at),
                "schema:actionStatus": {"id": "schema:" + STATUS[status]}}
        self._values(node, {"status": word or (status if status == "cancelled" else None)})
        self._log([node], self._id("done", None), None)

    def state(self, *, place: str | None = None, at: Time = None, id: str | None = None,
              **properties: Any) -> Entity:
        """Logs the robot's place and properties, such as battery=Percent(82), phase="guide"."""
        node = self._state(self._id("state", id), self._time(at))
        if place is not None:
            node["atLocation"] = iri(self.base, "place", place)
        self._values(node, properties)
        return self._log([node], node["id"], Entity(node["id"]))

    def stopped(self, on: bool = True, *, because: Because = (), at: Time = None, id: str | None = None) -> Ref:
        """Logs that an emergency stop holds the robot, or with on=False, that it no longer does."""
        label = "emergency stop" if on else "emergency stop released"
        node, t = self._activity("stopped", "sc:EmergencyStop", label, because, at, None, None, None, id)
        state = self._state(part(node["id"], "state"), t)
        self._values(state, {"emergency_stop": bool(on)})
        return self._log([node, state], node["id"], Ref(node["id"]))

    def problem(self, text: str, level: str = "error", part: str | None = None, *, because: Because = (),
                at: Time = None, id: str | None = None, **properties: Any) -> Ref:
        """Logs an incident. level is a word such as "warning"; part is what failed."""
        node, _ = self._activity("problem", "sc:Incident", string(text), because, at, None, None, None, id)
        self._values(node, dict(properties, level=level, part=part))
        return self._log([node], node["id"], Ref(node["id"]))

    def event(self, kind: str, *, of: str | None = None, properties: Dict[str, Any] | None = None,
              label: str | None = None, because: Because = (), at: Time = None, until: Time = None,
              model: str | None = None, place: str | None = None, id: str | None = None) -> Ref:
        """Logs an activity of a class of your own, an IRI or a name, about a person or thing."""
        cls, label = iri(self.base, "class", kind), label or kind.rsplit("/", 1)[-1]
        node, _ = self._activity("event", cls, label, because, at, until, model, place, id)
        self._values(node, properties or {})
        nodes = [node] + ([self._about(node, of, None)] if of else [])
        return self._log(nodes, node["id"], Ref(node["id"], event=node.get("about")), None, of, model)

    def jsonld(self, nodes: Node | List[Node], *, key: str | None = None) -> None:
        """Logs a JSON-LD document, or nodes in the words of the service's context. If the service has the key, it does
        not store the same again. Of more than 250 KiB or 4,096 triples, it is refused."""
        document = nodes if isinstance(nodes, dict) and "@context" in nodes else {"@context": CONTEXT, "@graph": nodes}
        self._put(document, key or self._id("jsonld", None), None)

    # Who and what there is.

    def person(self, id: str, name: str | None = None, *, permanent: bool = True) -> str:
        """Logs a person, once. permanent=False says that the id is this robot's own, or may soon mean somebody else; it
        is then not compared with what other robots say."""
        person = self.person_iri(id) if permanent else self._own + "person/" + quoted(string(id, "person"))
        return self._node({"id": person, "type": ["Human", "prov:Person"], **({"name": string(name)} if name else {})})

    def person_iri(self, person: str) -> str:
        return iri(self.base, "person", person)

    def model(self, name: str, version: str | None = None, provider: str | None = None) -> str:
        """Logs a model, once. It returns its IRI."""
        id = name if version is None else "%s-%s" % (name, version)
        node: Node = {"id": iri(self.base, "model", id), "type": "Model", "label": name}
        if version is not None:
            node["version"] = string(version, "version")
        if provider is not None:
            node["provider"] = {"id": iri(self.base, "provider", provider), "name": provider}
        return self._node(node)

    @contextlib.contextmanager
    def because(self, *causes: str) -> Iterator[None]:
        """Gives all calls inside these causes too. It follows asyncio's tasks, but not threads."""
        token = self._causes.set(self._causes.get() + tuple(self._all(causes)))
        try:
            yield
        finally:
            self._causes.reset(token)

    # How it becomes JSON-LD.

    def _id(self, kind: str, id: str | None) -> str:
        if id is not None:
            return iri(self._own, kind, id)
        return "%s%s/%s-%d" % (self._own, kind, self.boot, next(self._numbers))

    def _time(self, at: Time) -> str:
        return self._clock.stamp(time.time_ns()) if at is None else self._clock.at(at)

    def _activity(self, kind: str, cls: str, label: str, because: Because, at: Time, until: Time, model: str | None,
                  place: str | None, id: str | None) -> Tuple[Node, str]:
        t = self._time(at)
        node: Node = {"id": self._id(kind, id), "type": ["LoggedActivity", cls], "label": label,
                      "wasPerformedBy": self.robot, "startedAtTime": t}
        if until is not None:
            node["endedAtTime"] = self._time(until)
        for cause in itertools.chain(self._all(because), self._causes.get()):
            by = "triggeredByEntity" if isinstance(cause, Entity) else "triggeredByActivity"
            node.setdefault(by, []).append(cause)
        if model is not None:
            node["usedMLModel"] = iri(self.base, "model", model)
        if place is not None:
            node["atLocation"] = iri(self.base, "place", place)
        return node, t

    def _state(self, id: str, t: str) -> Node:
        return {"id": id, "type": ["prov:Entity", "Result"], "wasAttributedTo": self.robot, "generatedAtTime": t}

    @staticmethod
    def _all(because: Because) -> List[str]:
        causes = [because] if isinstance(because, str) else list(because)
        for cause in causes:
            if not is_iri(string(cause, "because")):
                raise ValueError("because must be what a call returned, or an IRI, not %r" % cause)
        return causes

    @staticmethod
    def _message(node: Node, text: str, cls: str, sender: str | None, language: str | None) -> Node:
        tag = (language or "").replace("_", "-")  # of a locale
        message = {"id": part(node["id"], "message"), "type": ["Message", cls], "wasGeneratedBy": node["id"],
                   "text": {"@value": text, "@language": tag} if LANGUAGE.fullmatch(tag) else text}
        if sender:
            message["sender"] = sender
        return message

    @staticmethod
    def _values(node: Node, properties: Dict[str, Any]) -> None:
        """Adds properties that are not None. They have IRIs, so that a repeat adds nothing."""
        nodes = [dict(id=part(node["id"], name), type="PropertyValue", propertyID=name, **value(v))
                 for name, v in properties.items() if v is not None]
        if nodes:
            node["additionalProperty"] = nodes

    def _about(self, node: Node, who: str | None, what: str | None) -> Node:
        """Makes an event of this robot alone."""
        node["about"] = node["id"] + "/event"  # no part, which may be a property named "event"
        event: Node = {"id": node["about"], "type": "Event"}
        if who:
            event["about"] = self.person_iri(who)
        if what:
            event["description"] = what
        return event

    def _observation(self, kind: str, modality: str, t: str, id: str, who: str | None, text: str | None,
                     place: str | None) -> Node | None:
        if not self.resolve:
            return None
        seen = {"event_kind": kind, "observed_at": t, "modality": modality, "robot_uri": self.robot,
                "observation_uri": id}
        who = who and self.person_iri(who)
        if who and not who.startswith(self._own):  # ids of one robot mean nothing to others
            seen["subject_uri"] = who
        if text:
            seen["text"] = text
        if place:
            seen["location_uri"] = iri(self.base, "place", place)
        return seen

    def _introduce(self) -> None:
        self._lost = set(self._known)
        self._node({"id": self.robot, "type": "Robot", "name": self._name})

    def _node(self, node: Node) -> str:
        """Logs what does not change, once for each process."""
        if self._known.get(node["id"]) != node or node["id"] in self._lost:
            if len(self._known) >= KNOWN:
                self._known.clear()
            self._known[node["id"]] = node
            self._lost.discard(node["id"])
            self._put({"@context": CONTEXT, "@graph": [node]}, self._id("known", None), None)
        return str(node["id"])

    def _log(self, nodes: List[Node], key: str, ref: R, seen: Node | None = None, who: str | None = None,
             model: str | None = None) -> R:
        """Logs nodes, and before them who and the model, if they were logged but may be lost, or are named and were not logged yet."""
        for name, kind, log in ((who, "person", self.person), (model, "model", self.model)):
            known = self._known.get(iri(self.base, kind, name)) if name else None
            if known:
                self._node(known)
            elif name and not is_iri(name):
                log(name)
        self._put({"@context": CONTEXT, "@graph": nodes}, key, seen)
        return ref

    def _own_line(self, text: str, properties: Dict[str, Any]) -> bytes:
        if text:
            node, _ = self._activity("problem", "sc:Incident", text, (), None, None, None, None, None)
            properties = dict(properties, level="error", part="log")
        else:
            node = self._state(self._id("state", None), self._time(None))
        self._values(node, properties)
        return self._line({"@context": CONTEXT, "@graph": [node]}, node["id"], None)

    def _put(self, graph: Any, key: str, seen: Node | None) -> None:
        self._append(self._line(graph, key, seen))

    def _line(self, graph: Any, key: str, seen: Node | None) -> bytes:
        tail = key.rsplit("/", 1)[-1]
        if tail.startswith(self.boot):
            key = tail  # the number of the call is unique
        elif len(key) > 240 or not key.isascii():
            key = hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()
        line: Node = {"key": key, "graph": graph}
        if self.user:
            line["user"] = self.user
        if seen:
            line["observation"], line["about"] = seen, seen["observation_uri"]
        return encode(line).encode("utf-8", "replace")
