"""A body's numbers where the library keeps them, as arrays without a copy."""
from __future__ import annotations

import numpy

from ._library import call, ffi, lib
from .mesh import _Lent


class View:
    """Arrays over the library's own memory, read-only, in the library's order of nodes.

    positions and velocities (m, m/s; a row for each node) change with every step by themselves;
    forces (N; elastic and viscous) and stress (Pa; 3 x 3 for each element in the mesh's order) are
    those of the last refresh(). order holds the mesh's number of each row:

        bar.positions[view.order] == view.positions

    Bodies of frames, rigid parts and hanging nodes have no such memory: there live is False, and
    refresh() brings positions and velocities as well. When bodies or fixes come or go, or the
    integrator changes, holds becomes False: the arrays stay readable but no longer follow.
    """

    def __init__(self, body):
        place, arrays = ffi.new("pl_view **"), ffi.new("pl_view_arrays *")
        call(lib.pl_world_view_body, body.world._pointer, body._id, place)
        self._world, self._view = body.world, ffi.gc(place[0], lib.pl_view_destroy)
        lib.pl_view_read(self._view, arrays)
        nodes, elements = arrays.node_count, arrays.element_count
        self.live: bool = bool(arrays.is_live)
        self.positions: numpy.ndarray = self._lend(arrays.positions, (nodes, 3))
        self.velocities: numpy.ndarray = self._lend(arrays.velocities, (nodes, 3))
        self.forces: numpy.ndarray | None = self._lend(arrays.forces, (nodes, 3))
        self.stress: numpy.ndarray = self._lend(arrays.stress, (elements, 3, 3))
        self.order: numpy.ndarray = self._lend(arrays.order, (nodes,), numpy.intc)

    def _lend(self, pointer, shape, kind=numpy.float64):
        return None if pointer == ffi.NULL else numpy.asarray(_Lent(self._view, pointer, kind, shape))

    @property
    def holds(self) -> bool:
        """Are the arrays those of the world as it is?"""
        return bool(lib.pl_view_holds(self._view, self._world._pointer))

    def refresh(self) -> View:
        """Computes forces and stress as they are now, in place."""
        call(lib.pl_world_refresh_view, self._world._pointer, self._view)
        return self
