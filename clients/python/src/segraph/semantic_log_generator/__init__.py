"""A drop-in for the package semantic-log-generator 1.0.5 of SEGB: change the import, and nothing else.

The same calls give the same IRIs and triples. Publishing a graph puts only what is new into a queue on disk, which a
thread sends. rdflib is optional: without it, graphs are simple sets of triples, and Turtle cannot be read.
"""
from .logger import SemanticSEGBLogger
from .publisher import SEGBPublisher
from .shared_context import HTTPSharedContextResolver, build_http_shared_context_resolver_from_env
from .types import (
    ActivityKind,
    EmotionCategory,
    EmotionScore,
    ModelUsage,
    RobotStateSnapshot,
    SharedEventPolicy,
    SharedEventRequest,
    SharedEventResolver,
)

__version__ = "1.0.5"

__all__ = [
    "__version__", "ActivityKind", "EmotionCategory", "EmotionScore", "ModelUsage", "RobotStateSnapshot",
    "HTTPSharedContextResolver", "SEGBPublisher", "SemanticSEGBLogger", "SharedEventPolicy", "SharedEventResolver",
    "SharedEventRequest", "build_http_shared_context_resolver_from_env",
]
