"""What the library calls in Python: logs, questions whether to go on, forces and laws of one's own.

Every callback finds its object by a handle. What Python raises there is kept, makes the step fail
(numbers that are not finite, or the answer "no"), and is raised again by the step.
"""
from __future__ import annotations

import threading

import numpy

from ._library import ffi, text_of

PAUSE = 0.05  # s between two questions whether Ctrl-C was pressed
_current = threading.local()


class Ear:
    """What a world hears during its steps; the world itself is not held, so that it can end."""

    def __init__(self):
        self.log, self.raised, self.group = [], None, None
        self.handle = ffi.new_handle(self)
        self.watcher = ffi.new("pl_watcher *", {"ask": _ask, "context": self.handle, "pause": PAUSE})

    def listen(self, definition):
        definition.log.write, definition.log.context = _write, self.handle

    def _taken(self):
        """What was raised since the last call, or None."""
        raised, self.raised = self.raised, None
        return raised

    def __enter__(self):
        _current.ear = self

    def __exit__(self, *_):
        _current.ear = None


def _keep(kind, value, trace):
    """Ctrl-C, or whatever else a signal's handler raised while the library asked."""
    ear = getattr(_current, "ear", None)
    if ear is not None:
        ear.raised = value


@ffi.callback("int(void *, double)", error=1, onerror=_keep)
def _ask(context, time):
    ear = ffi.from_handle(context)
    return int(ear.group is not None and ear.group.raised is not None)


@ffi.callback("void(void *, pl_level, const char *)")
def _write(context, level, words):
    ffi.from_handle(context).log.append(text_of(words))


class Field:
    """Forces of one's own: function(time, positions, velocities) returns forces, or forces and
    their derivatives by the node's own position (n x 3 x 3)."""

    def __init__(self, function, nodes, ear):
        if not callable(function):
            raise TypeError(f"a field of forces is a function, not {function!r}")
        self.function, self.nodes, self.ear = function, nodes, ear
        self.handle = ffi.new_handle(self)
        self.struct = ffi.new("pl_force_field *", {"evaluate": _evaluate_field, "context": self.handle})


def _array(pointer, *shape):
    """The library's memory, while it lasts."""
    count = int(numpy.prod(shape))
    return numpy.frombuffer(ffi.buffer(pointer, 8 * count), dtype=float).reshape(shape)


@ffi.callback("void(void *, double, const double *, const double *, double *, double *)")
def _evaluate_field(context, time, positions, velocities, forces, slopes):
    field = ffi.from_handle(context)
    n = field.nodes
    try:
        answer = field.function(time, _array(positions, n, 3).copy(), _array(velocities, n, 3).copy())
        given = answer if isinstance(answer, tuple) else (answer,)
        _array(forces, n, 3)[:] = given[0]
        if slopes != ffi.NULL and len(given) > 1:
            _array(slopes, n, 3, 3)[:] = given[1]
    except BaseException as error:
        field.ear.raised = error
        _array(forces, n, 3)[:] = numpy.nan


class OwnLaw:
    """A law of one's own: function(F) returns the energy density W in J/m^3, the stress P = dW/dF
    (3 x 3, Pa) and the tangent H = dP/dF (9 x 9, Pa) at the deformation gradient F (3 x 3).

    Material(pliant.law.hooke(young=1e5, poisson=0.3), own=pliant.OwnLaw(function))

    The law named beside it gives the moduli at rest. It is asked for every point, so that large
    bodies want a law in C; numbers of threads do not matter.
    """

    def __init__(self, function):
        if not callable(function):
            raise TypeError(f"a law of one's own is a function, not {function!r}")
        self.function, self.raised = function, None
        self._handle = ffi.new_handle(self)

    def _fill(self, struct, keep):
        struct.evaluate, struct.context = _evaluate_law, self._handle
        keep.append(self)

    def _taken(self):
        raised, self.raised = self.raised, None
        return raised

    def __reduce__(self):
        return OwnLaw, (self.function,)

    def __repr__(self):
        return f"OwnLaw({getattr(self.function, '__name__', self.function)!r})"


@ffi.callback("void(void *, const double *, double *, double *, double *)")
def _evaluate_law(context, F, W, P, H):
    law = ffi.from_handle(context)
    try:
        energy, stress, tangent = law.function(_array(F, 3, 3).copy())
        for place, value, count in ((W, energy, 1), (P, stress, 9), (H, tangent, 81)):
            if place != ffi.NULL:
                _array(place, count)[:] = numpy.asarray(value, dtype=float).reshape(count)
    except BaseException as error:
        law.raised = error
        for place, count in ((W, 1), (P, 9), (H, 81)):
            if place != ffi.NULL:
                _array(place, count)[:] = numpy.nan
