"""Logs what a robot heard, said, saw and decided to a segraph service.

    from segraph import Client

    robot = Client("http://localhost:5000", "iris")
    heard = robot.heard("Where is the café?", by="maria")
    choice = robot.decided("guide to the café", because=heard, why="she asked for it")
    robot.said("Follow me!", to="maria", answers=heard, because=choice)
    choice.done()

Calls return after some microseconds: they write to a queue on disk, and a thread sends it. See Client.
"""
from ._terms import Entity, Percent, Ref
from .client import Client, Decision

__all__ = ["Client", "Decision", "Entity", "Percent", "Ref"]
__version__ = "0.1.0"
