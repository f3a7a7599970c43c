"""What the calls of the logger take."""
from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any, Callable, Mapping, Optional, Tuple

RDFTermLike = str  # an IRI, prefix:name, or a name in the base namespace


class ActivityKind(str, Enum):
    """The kinds of activities."""

    LISTENING = "listening"
    DECISION = "decision"
    RESPONSE = "response"
    EMOTION_RECOGNITION = "emotion_recognition"
    EMOTION_ANALYSIS = "emotion_analysis"
    HUMAN_DETECTION = "human_detection"
    ML_RUN = "ml_run"


class EmotionCategory(str, Enum):
    """EmotionML's six basic emotions."""

    HAPPINESS = "emoml:big6_happiness"
    SADNESS = "emoml:big6_sadness"
    ANGER = "emoml:big6_anger"
    FEAR = "emoml:big6_fear"
    DISGUST = "emoml:big6_disgust"
    SURPRISE = "emoml:big6_surprise"

    @classmethod
    def coerce(cls, value: "EmotionCategory | str") -> "EmotionCategory":
        """Returns the category of a word such as "happy", a name, or a term. Others raise ValueError."""
        if isinstance(value, cls):
            return value
        if not isinstance(value, str) or not value.strip():
            raise ValueError("an emotion category must be an EmotionCategory or a str that is not empty")
        word = value.strip().lower().replace("-", "_").replace(" ", "_")
        word = _WORDS.get(word, word)
        for member in cls:
            if word in (member.name.lower(), member.value, member.value.split(":")[1]):
                return member
        raise ValueError("unknown emotion category %r: use one of %s" % (value, ", ".join(m.value for m in cls)))

    @classmethod
    def from_expression(cls, expression: str) -> "EmotionCategory":
        return cls.coerce(expression)


_WORDS = {"happy": "happiness", "sad": "sadness", "angry": "anger", "afraid": "fear", "scared": "fear",
          "disgusted": "disgust", "surprised": "surprise"}


@dataclass(frozen=True)
class EmotionScore:
    """One emotion, with intensity and confidence from 0 to 1."""

    category: RDFTermLike
    intensity: float
    confidence: Optional[float] = None


@dataclass(frozen=True)
class ModelUsage:
    """How an activity used a model."""

    model: RDFTermLike
    parameters: Mapping[str, Any] = field(default_factory=dict)
    implementation: Optional[RDFTermLike] = None
    software_label: Optional[str] = None
    software_version: Optional[str] = None


@dataclass
class RobotStateSnapshot:
    """The state of a robot at one time. Levels and loads are from 0 to 1, or in per cent."""

    timestamp: Optional[datetime] = None
    battery_level: Optional[float] = None
    autonomy_mode: Optional[str] = None
    mission_phase: Optional[str] = None
    cpu_load: Optional[float] = None
    memory_load: Optional[float] = None
    network_status: Optional[str] = None
    location: Optional[RDFTermLike] = None
    note: Optional[str] = None
    custom: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class SharedEventPolicy:
    """How IRIs of shared events are made without a service."""

    namespace: Optional[str] = None
    time_bucket_seconds: int = 1


@dataclass(frozen=True)
class SharedEventRequest:
    """What a resolver is asked."""

    event_kind: str
    observed_at: datetime
    subject: Optional[RDFTermLike] = None
    text: Optional[str] = None
    modality: Optional[str] = None
    shared_event_namespace: Optional[str] = None
    event_types: Tuple[RDFTermLike, ...] = ()
    event_id: Optional[str] = None
    time_bucket_seconds: int = 1


SharedEventResolver = Callable[[SharedEventRequest], Optional[RDFTermLike]]
