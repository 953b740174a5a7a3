"""Keywords of methods, from the members of the library's def structs: signatures with types, and
docstrings from the headers' comments."""
from __future__ import annotations

import inspect
import typing
from typing import Any, Sequence, Union

from . import _values
from ._library import ffi
from ._members import MEMBERS
from .body import Body, Material
from .families import Member
from .mesh import Mesh
from .world import World

# what the caller gives by other arguments
_GIVEN = {"add_body": ("mesh", "material"), "fix": ("where",), "load": ("load", "where"), "rigid": ("where",),
          "attach": ("to", "where"), "pull": ("at", "target"), "add_obstacle": ("shape",), "__init__": ("law",)}
_METHODS = [(World, "__init__", "world"), (World, "add_body", "body"), (World, "add_obstacle", "obstacle"),
            (World, "set_contact", "contact"), (World, "set_tool", "tool"), (Body, "fix", "fix"), (Body, "load", "load"),
            (Body, "rigid", "rigid"), (Body, "attach", "attachment"), (Body, "pull", "pull"),
            (Material, "__init__", "material")]
_STRUCTS = {"pl_choice": Union[str, Member], "pl_body_id": Body, "pl_material_def": Material, "pl_mesh": Mesh}


def annotation(kind):
    """The Python type that a member of this C type takes."""
    if kind.kind == "primitive":
        return float if kind.cname in ("double", "float") else int
    if kind.kind == "enum":
        return Union[str, int]
    if kind.kind == "array":
        return Sequence[annotation(kind.item)]
    if kind.kind == "pointer" and kind.item.kind == "primitive":
        return str if kind.item.cname == "char" else Sequence[annotation(kind.item)]
    name = (kind.item if kind.kind == "pointer" else kind).cname.replace("const ", "").strip()
    if name in _STRUCTS:
        return _STRUCTS[name]
    return Union[Sequence[Any], dict] if kind.kind == "pointer" else Any


def _counts(names):
    """Members that say how many another has: they are found by themselves."""
    lists = {_values.count_name(name) for name in names}
    return {name for name in names if name in lists}


def keywords(struct, given):
    """Name, type and comment of every keyword."""
    known = _values.fields(ffi.new(f"pl_{struct}_def *"))
    hidden = _counts(known) | set(given)
    return [(name, annotation(field.type), MEMBERS[f"pl_{struct}_def"].get(name, ""))
            for name, field in known.items() if name not in hidden]


def _describe(cls, name, struct):
    function = getattr(cls, name)
    function = getattr(function, "__wrapped__", function)
    rows = keywords(struct, _GIVEN.get(name, ()))
    signature = inspect.signature(function)
    own = [p for p in signature.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    taken = {p.name for p in own}
    more = [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=typing.Optional[kind])
            for n, kind, _ in rows if n not in taken]
    lines = [f"    {n}: {text}" if text else f"    {n}" for n, _, text in rows if n not in taken]
    getattr(cls, name).__signature__ = signature.replace(parameters=own + more)
    holder = cls if name == "__init__" else getattr(cls, name)
    holder.__doc__ = inspect.cleandoc(holder.__doc__ or "") + "\n\nKeywords:\n" + "\n".join(lines)


def describe_all():
    for each in _METHODS:
        _describe(*each)
