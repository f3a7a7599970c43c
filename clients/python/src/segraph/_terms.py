"""Names, times and values of events."""
from __future__ import annotations

import functools
import math
import re
import time
import urllib.parse
from datetime import datetime, timezone
from typing import Any, Dict, Union

Time = Union[datetime, float, int, None]


class Entity(str):
    """The IRI of a thing that can be a cause and is no activity, such as a message or a state."""

    __slots__ = ()


class Ref(str):
    """The IRI of a logged activity. message, annotation and event are the IRIs of what it heard or said, of the emotion
    that it found, and of what happened, or None. The service names the events that several robots may share."""

    __slots__ = ("message", "annotation", "event")
    message: Entity | None
    annotation: Entity | None
    event: Entity | None

    def __new__(cls, iri: str, message: str | None = None, annotation: str | None = None,
                event: str | None = None) -> "Ref":
        self = super().__new__(cls, iri)
        self.message = Entity(message) if message else None
        self.annotation = Entity(annotation) if annotation else None
        self.event = Entity(event) if event else None
        return self


class Json(str):
    """A JSON text that is not encoded again."""

    __slots__ = ()


class Percent(float):
    """A value of a state in per cent: state(battery=Percent(82))."""

    unit = "PERCENT"


BIG6 = {word: "emoml:big6_" + name for name, words in {
    "happiness": "happiness happy joy", "sadness": "sadness sad", "anger": "anger angry", "fear": "fear scared afraid",
    "disgust": "disgust disgusted", "surprise": "surprise surprised"}.items() for word in words.split()}

STATUS = {"succeeded": "CompletedActionStatus", "failed": "FailedActionStatus", "cancelled": "FailedActionStatus"}


LANGUAGE = re.compile("[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
_iri = re.compile(r"(?:urn:|[A-Za-z][A-Za-z0-9+.-]*://)[^\x00-\x20<>\"{}|^`\\]*")


@functools.lru_cache(maxsize=4096)  # names repeat, and quoting one takes longer than anything else in a call
def quoted(name: str) -> str:
    return urllib.parse.quote(name, safe="")


def is_iri(text: str) -> bool:
    return _iri.fullmatch(text) is not None


def iri(base: str, kind: str, name: str) -> str:
    """Returns an IRI as it is, and makes one from any other name."""
    if not isinstance(name, str):
        raise TypeError("%s must be a str, not %s" % (kind, type(name).__name__))
    return str(name) if is_iri(name) else "%s%s/%s" % (base, kind, quoted(name))


def part(iri: str, name: str) -> str:
    """Returns the IRI of a part of something. It has one "#" only."""
    return "%s%s%s" % (iri, "-" if "#" in iri else "#", quoted(name))


def string(value: str, what: str = "text") -> str:
    if not isinstance(value, str):
        raise TypeError("%s must be a str, not %s" % (what, type(value).__name__))
    return value


def fraction(value: float, what: str) -> str:
    """Returns a number from 0 to 1 as xsd:float has it."""
    number = float(value)
    if not 0 <= number <= 1:
        raise ValueError("%s must be from 0 to 1, not %r" % (what, value))
    return repr(round(number, 6))


def seconds(at: Time) -> float:
    """Returns a time in seconds since 1970. A datetime without a zone is local time, as in Python."""
    if isinstance(at, datetime):
        return at.timestamp()
    if isinstance(at, bool) or not isinstance(at, (int, float)):
        raise TypeError("a time must be a datetime or seconds since 1970, not " + type(at).__name__)
    return float(at)


class Clock:
    """Writes times as xsd:dateTime in UTC, and keeps the text of the last second."""

    def __init__(self) -> None:
        self._last = (0, "1970-01-01T00:00:00")

    def stamp(self, ns: int) -> str:
        s, rest = divmod(ns // 1000, 1000000)
        last = self._last
        if s != last[0]:
            self._last = last = (s, time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(s)))
        return "%s.%06dZ" % (last[1], rest)

    def at(self, at: Time) -> str:
        return self.stamp(int(round(seconds(at) * 1e6)) * 1000)


def value(v: Any) -> Dict[str, Any]:
    """Returns the members of a schema:PropertyValue. A number may have a unit, as Percent does."""
    unit = {"unitCode": v.unit} if hasattr(v, "unit") else {}
    if isinstance(v, float):
        return {"value": int(v) if unit and v.is_integer() else number(v), **unit}
    if isinstance(v, (bool, int, str)):
        return {"value": v, **unit}
    if isinstance(v, datetime):
        return {"value": {"type": "xsd:dateTime", "@value": v.astimezone(timezone.utc).isoformat()}}
    raise TypeError("a value must be a number, bool, str or datetime, not " + type(v).__name__)


def number(v: float) -> Any:
    return v if math.isfinite(v) else str(v)
