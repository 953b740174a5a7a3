"""How a world was made: the calls that built it, so that it can be pickled and copied."""
from __future__ import annotations

import functools

from ._library import ffi


class Ref:
    """Stands for a body or a handle of the world that is being remembered."""

    def __init__(self, kind, index1, generation):
        self.key = (kind, index1, generation)

    def __eq__(self, other):
        return isinstance(other, Ref) and self.key == other.key

    __hash__ = None


class SpotRef:
    """A spot with the body that it belongs to."""

    def __init__(self, body, count, nodes, weights):
        self.body, self.count, self.nodes, self.weights = body, count, nodes, weights


def encode(value):
    """Bodies, handles and spots become references, also inside lists and dicts."""
    if hasattr(value, "_struct"):
        struct = value._struct
        return SpotRef(Ref("body", struct.body.index1, struct.body.generation), struct.count,
                       list(struct.nodes), list(struct.weights))
    if hasattr(value, "_id"):
        return Ref(value.kind, value._id.index1, value._id.generation)
    if isinstance(value, dict):
        return {name: encode(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(encode(each) for each in value)
    return value


def mentions(value, ref):
    if isinstance(value, SpotRef):
        return value.body == ref
    if isinstance(value, dict):
        return any(mentions(each, ref) for each in value.values())
    if isinstance(value, (list, tuple)):
        return any(mentions(each, ref) for each in value)
    return isinstance(value, Ref) and value == ref


class Recipe:
    """Calls in order: target, method, arguments, keywords, result."""

    def __init__(self):
        self.calls, self.depth = [], 0

    def note(self, target, name, arguments, keywords, result):
        if name == "remove":  # what it did is undone
            self.calls = [each for each in self.calls if not mentions(each, target)]
            return
        if name.startswith("set_") or name == "move":  # the last one counts
            self.calls = [each for each in self.calls if each[:2] != (target, name)]
        self.calls.append((target, name, arguments, keywords, result))

    def follow(self, world):
        """Makes all calls again on another world."""
        made = {}

        def decode(value):
            if isinstance(value, SpotRef):
                from .body import Spot
                body = decode(value.body)._id
                return Spot(ffi.new("pl_spot *", {"body": {"index1": body.index1, "generation": body.generation},
                                                  "count": value.count, "nodes": value.nodes,
                                                  "weights": value.weights}))
            if isinstance(value, Ref):
                return made[value.key] if value.key in made else world._known(*value.key)
            if isinstance(value, dict):
                return {name: decode(each) for name, each in value.items()}
            if isinstance(value, (list, tuple)):
                return type(value)(decode(each) for each in value)
            return value

        for target, name, arguments, keywords, result in self.calls:
            to = world if target is None else decode(target)
            answer = getattr(to, name)(*decode(arguments), **decode(keywords))
            if isinstance(result, Ref):
                made[result.key] = answer


def recorded(method):
    """A method that changes what the world is made of; one inside another is not noted."""

    @functools.wraps(method)
    def wrapper(self, *arguments, **keywords):
        world = getattr(self, "world", self)
        recipe = world._recipe
        recipe.depth += 1
        try:
            result = method(self, *arguments, **keywords)
        finally:
            recipe.depth -= 1
        if recipe.depth == 0:
            recipe.note(encode(self) if self is not world else None, method.__name__, encode(arguments),
                        encode(keywords), encode(result))
        return result

    return wrapper
