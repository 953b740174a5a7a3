"""Meshes: tetrahedra, hexahedra or triangles with named sets."""
from __future__ import annotations

import os
from typing import Any, Mapping, Optional, Sequence, Union

import numpy

from . import _values
from ._library import call, ffi, lib, text_of
from .families import Member


class _Lent:
    """Memory of the library as numpy sees it (__array_interface__), with what keeps it alive."""

    def __init__(self, owner, pointer, kind, shape):
        self.owner = owner
        self.__array_interface__ = {"version": 3, "typestr": numpy.dtype(kind).str, "shape": shape,
                                    "data": (int(ffi.cast("intptr_t", pointer)), True)}


def _view(mesh, pointer, ctype, rows, columns):
    """The library's own memory as a read-only array, which keeps its mesh alive; a copy where the
    mesh belongs to a body, which may be removed."""
    kind = {"double": numpy.float64, "int": numpy.intc}[ctype]
    if not rows * columns:
        return numpy.empty((rows, columns), dtype=kind)
    array = numpy.asarray(_Lent(mesh, pointer, kind, (rows, columns)))
    return array if mesh._body is None else numpy.array(array)


class Mesh:
    """A mesh; it does not change once it is made.

    Mesh(nodes, elements, sets={}) takes arrays: 3 numbers for each node, 4 (tetrahedra), 8
    (hexahedra) or 3 (triangles) node numbers for each element. Sets are lists of node numbers by
    name. Mesh(nodes, quads=...) takes quadrilaterals, 4 nodes around each, alone or beside
    triangles; each becomes two triangles behind the others. Other ways: Mesh.generate("box", ...), Mesh.read(path), Mesh.fill(vertices, triangles).
    """

    def __init__(self, nodes: Sequence, elements: Optional[Sequence] = None,
                 sets: Optional[Mapping[str, Sequence[int]]] = None, quads: Optional[Sequence] = None):
        keep = []
        if elements is None:
            elements = numpy.empty((0, 3), dtype=numpy.intc)
        nodes_pointer, node_array = _values.numbers(nodes, "double", keep)
        elements_pointer, element_array = _values.numbers(elements, "int", keep)
        if node_array.ndim != 2 or node_array.shape[1] != 3 or element_array.ndim != 2:
            raise ValueError("nodes is an array of 3 columns, elements one of 3, 4 or 8 columns")
        definition = ffi.new("pl_mesh_def *", {
            "node_count": len(node_array), "nodes": nodes_pointer, "element_count": len(element_array),
            "nodes_per_element": element_array.shape[1], "elements": elements_pointer})
        if quads is not None:
            definition.quads, quad_array = _values.numbers(quads, "int", keep)
            if quad_array.ndim != 2 or quad_array.shape[1] != 4:
                raise ValueError("quads is an array of 4 columns: the nodes around each quadrilateral")
            definition.quad_count = len(quad_array)
        listed = ffi.new("pl_set[]", max(1, len(sets or {})))
        for place, (name, ids) in enumerate((sets or {}).items()):
            pointer, array = _values.numbers(ids, "int", keep)
            listed[place].name, listed[place].ids = _values.text(name, keep), pointer
            listed[place].count = array.size
        definition.sets, definition.set_count = listed, len(sets or {})
        self._own(lambda place: call(lib.pl_mesh_create, definition, place))

    _body = None  # of which world's body it is the mesh

    def _own(self, make):
        place = ffi.new("pl_mesh **")
        make(place)
        self._mesh = ffi.gc(place[0], lib.pl_mesh_destroy)

    @property
    def _pointer(self):
        return self._mesh if self._body is None else self._body._mesh

    @classmethod
    def _made(cls, make):
        mesh = cls.__new__(cls)
        mesh._own(make)
        return mesh

    @classmethod
    def _of(cls, body):
        """The mesh of a body; an ArgumentError when the body is gone."""
        mesh = cls.__new__(cls)
        mesh._body = body
        return mesh

    @classmethod
    def generate(cls, generator: Union[str, Member], **settings: Any) -> Mesh:
        """A member of pliant.generator by name and settings: Mesh.generate("box", size=(1, 1, 1))."""
        keep, choice = [], ffi.new("pl_choice *")
        _values.as_choice(choice, generator if isinstance(generator, Member)
                          else Member(generator, {k.rstrip("_").replace("_", "-"): v for k, v in settings.items()}), keep)
        return cls._made(lambda place: call(lib.pl_mesh_generate, choice, ffi.NULL, place))

    @classmethod
    def read(cls, path: Union[str, os.PathLike]) -> Mesh:
        """A file of any format that pliant list format names."""
        return cls._made(lambda place: call(lib.pl_mesh_read, os.fsencode(path), ffi.NULL, place))

    @classmethod
    def fill(cls, vertices: Sequence, triangles: Sequence, filler: Union[str, Member, None] = None) -> Mesh:
        """Elements inside a closed surface; without a filler, way and size are chosen."""
        keep, definition = [], ffi.new("pl_surface_def *")
        definition.points, points = _values.numbers(vertices, "double", keep)
        definition.triangles, faces = _values.numbers(triangles, "int", keep)
        definition.point_count, definition.triangle_count = points.size // 3, faces.size // 3
        if filler is not None:
            _values.as_choice(definition.filler, filler, keep)
        return cls._made(lambda place: call(lib.pl_mesh_fill, definition, place))

    def write(self, path: Union[str, os.PathLike]) -> None:
        """A file of the format that its name ends with."""
        call(lib.pl_mesh_write, self._pointer, os.fsencode(path))

    def divide(self, division: str = "tet10") -> Mesh:
        """Every tetrahedron as one of ten nodes ("tet10") or as eight ("octets")."""
        which = {"tet10": lib.PL_DIVIDE_TET10, "octets": lib.PL_DIVIDE_OCTETS}[division]
        return self._made(lambda place: call(lib.pl_mesh_divide, self._pointer, which, ffi.NULL, place))

    def boundary(self) -> Mesh:
        """The boundary as a mesh of triangles."""
        return self._made(lambda place: call(lib.pl_mesh_boundary, self._pointer, ffi.NULL, place))

    @property
    def nodes(self) -> numpy.ndarray:
        """Positions at rest, m: the library's own memory, read-only."""
        return _view(self, lib.pl_mesh_nodes(self._pointer), "double", lib.pl_mesh_node_count(self._pointer), 3)

    @property
    def elements(self) -> numpy.ndarray:
        """Node numbers: the library's own memory, read-only."""
        return _view(self, lib.pl_mesh_elements(self._pointer), "int", lib.pl_mesh_element_count(self._pointer),
                     lib.pl_mesh_nodes_per_element(self._pointer))

    @property
    def quads(self) -> numpy.ndarray:
        """The nodes around each quadrilateral, of which two elements are the halves."""
        return _view(self, lib.pl_mesh_quads(self._pointer), "int", lib.pl_mesh_quad_count(self._pointer), 4)

    @property
    def faces(self) -> numpy.ndarray:
        """The boundary's faces, turned outwards: the library's own memory, read-only."""
        return _view(self, lib.pl_mesh_faces(self._pointer), "int", lib.pl_mesh_face_count(self._pointer),
                     lib.pl_mesh_nodes_per_face(self._pointer))

    @property
    def sets(self) -> dict[str, numpy.ndarray]:
        """Numbers of nodes or elements by the set's name."""
        found = {}
        for place in range(lib.pl_mesh_set_count(self._pointer)):
            each = lib.pl_mesh_set(self._pointer, place)
            found[text_of(each.name)] = numpy.array(ffi.unpack(each.ids, each.count), dtype=numpy.intc)
        return found

    def measure(self) -> dict:
        """Size and quality as a dict: volume, edges, angles, pieces ..."""
        facts = ffi.new("pl_mesh_facts *")
        call(lib.pl_mesh_measure, self._pointer, facts)
        return _values.plain(facts)

    def __reduce__(self):
        nodes = {n: s for n, s in self.sets.items() if not lib.pl_mesh_find_set(self._pointer, n.encode()).of_elements}
        return Mesh, (numpy.array(self.nodes), numpy.array(self.elements), nodes)

    def __repr__(self):
        return (f"<Mesh of {lib.pl_mesh_element_count(self._pointer)} {text_of(lib.pl_mesh_shape_name(self._pointer))}, "
                f"{lib.pl_mesh_node_count(self._pointer)} nodes>")
