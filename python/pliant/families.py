"""The families of exchangeable parts: laws, integrators, solvers, loads, regions ...

    pliant.law.neo_hooke(young=1e6, poisson=0.45)
    pliant.integrator.bdf2()
    list(pliant.solver)

Members and their parameters come from the library's own tables: help(pliant.law.ogden) shows
units, presets and ranges.
"""
from __future__ import annotations

import inspect
import keyword
from typing import Literal, Optional, Sequence, Union

import numpy

from ._library import ffi, lib, text_of


class Member:
    """A member of a family with the values that differ from its presets."""

    def __init__(self, name, settings):
        self.name, self.settings = name, dict(settings)

    def __repr__(self):
        return f"{self.name}({', '.join(f'{k}={v!r}' for k, v in self.settings.items())})"

    def __eq__(self, other):
        return isinstance(other, Member) and (self.name, self.settings) == (other.name, other.settings)

    __hash__ = None


def _python_name(name):
    name = name.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def _describe(param):
    """One line of a docstring."""
    words = text_of(param.words)
    if words:
        preset = words.split("|")[int(param.preset)] if param.preset == param.preset else "none"
        span = f"one of {', '.join(words.split('|'))}; {preset} if not given"
    else:
        span = f"{text_of(param.unit)}, from {param.min:g} to {param.max:g}"
        span += f"; {param.preset:g} if not given" if param.preset == param.preset else ""
    return f"    {_python_name(text_of(param.name))}: {text_of(param.summary)} ({span})"


SWITCH = {"no": False, "yes": True}


def _type_of(param):
    """The Python type of a parameter."""
    words = text_of(param.words)
    if words and set(words.split("|")) == set(SWITCH):
        return Union[bool, Literal["no", "yes"]]
    if words:
        return Literal[tuple(words.split("|"))]
    if param.width == 3:
        return Union[float, Sequence[float]]
    return int if text_of(param.unit) == "count" else float


def _check(member, name, param, value):
    """The value as the library takes it, if it has the right type and lies in its range; what several must be together says the library."""
    words = text_of(param.words).split("|") if param.words else []
    if words:
        if isinstance(value, bool) and set(words) == set(SWITCH):
            value = "yes" if value else "no"
        if value not in words:
            raise ValueError(f"{member}: {name}={value!r} is none of {', '.join(words)}")
        return value
    if isinstance(value, (str, bytes, bool)):
        raise TypeError(f"{member}: {name} takes a number, not {value!r}")
    given = numpy.atleast_1d(numpy.asarray(value, dtype=float))
    if given.ndim != 1 or given.size not in ((1, 3) if param.width == 3 else (1,)):
        raise TypeError(f"{member}: {name} takes {'three numbers' if param.width == 3 else 'one number'}, not {value!r}")
    if not ((given >= param.min) & (given <= param.max)).all():
        raise ValueError(f"{member}: {name}={value!r} must lie between {param.min:g} and {param.max:g}")
    return value


def _maker(member):
    """The function that makes a member of its keyword arguments."""
    name = text_of(member.name)
    params = [member.params[i] for i in range(member.param_count)]
    names = {_python_name(text_of(p.name)): text_of(p.name) for p in params}

    by_name = {_python_name(text_of(p.name)): p for p in params}

    def make(**settings):
        for each in settings:
            if each not in names:
                raise TypeError(f"{name} has no parameter {each!r}; it has {', '.join(names) or 'none'}")
        return Member(name, {names[k]: _check(name, k, by_name[k], v) for k, v in settings.items() if v is not None})

    make.__name__ = make.__qualname__ = _python_name(name)
    source = text_of(member.source)
    make.__doc__ = "\n".join([f"{text_of(member.summary)}.", ""] + [_describe(p) for p in params] +
                             ([f"\n    Source: {source}"] if source else []))
    make.__signature__ = inspect.Signature(
        [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Optional[_type_of(p)])
         for n, p in by_name.items()], return_annotation=Member)
    return make


class Family:
    """All members that can stand in one place; each is an attribute, and a function that makes it."""

    def __init__(self, pointer):
        self.name, self.__doc__ = text_of(pointer.name), text_of(pointer.summary)
        self._makers = {}
        place = 0
        while pointer.members[place] != ffi.NULL:
            member = pointer.members[place]
            self._makers[text_of(member.name)] = maker = _maker(member)
            setattr(self, maker.__name__, maker)
            place += 1

    def __iter__(self):
        return iter(self._makers)

    def __len__(self):
        return len(self._makers)

    def __getitem__(self, name):
        return self._makers[name]

    def __repr__(self):
        return f"<family {self.name}: {', '.join(self)}>"


def all_families():
    """Every family of the library by its Python name."""
    pointers, place, found = lib.pl_families(), 0, {}
    while pointers[place] != ffi.NULL:
        family = Family(pointers[place])
        found[_python_name(family.name)] = family
        place += 1
    return found
