"""Bodies, what they are made of, and what acts on them."""
from __future__ import annotations

from typing import Any, Callable, Optional, Sequence, Union

import numpy

from . import _values
from ._callbacks import Field, OwnLaw
from ._library import call, exceptions, ffi, lib, text_of
from ._recipe import recorded
from .families import Member
from .mesh import Mesh
from .view import View

Where = Union[str, Member]


class Material:
    """What a body is made of: a law, a density in kg/m^3, damping, memory, fibres.

    Material(pliant.law.hooke(young=1e6, poisson=0.3), density=1000, stiffness_damping=0.01)
    """

    def __init__(self, law: Union[str, Member] = "hooke", **values: Any):
        self.values = {"law": law, **values}
        self._fill(ffi.new("pl_material_def *", lib.pl_material_def_default()), [])

    def _fill(self, struct, keep):
        _values.fill(struct, self.values, keep)

    @property
    def _own(self):
        return self.values.get("own") if isinstance(self.values.get("own"), OwnLaw) else None

    def __eq__(self, other):
        return isinstance(other, Material) and self.values == other.values

    __hash__ = None

    def __repr__(self):
        return f"Material({', '.join(f'{k}={v!r}' for k, v in self.values.items())})"


def _definition(name, values, keep):
    """A def struct with its presets and the values that are given."""
    struct = ffi.new(f"pl_{name}_def *", getattr(lib, f"pl_{name}_def_default")())
    _values.fill(struct, values, keep)
    return struct


class Handle:
    """Something that acts on bodies and can be removed: a fix, a load, an obstacle, a pull ..."""

    def __init__(self, world, kind, identity):
        self.world, self.kind, self._id = world, kind, identity

    @recorded
    def remove(self) -> None:
        """Takes it out of the world; what is asked of it afterwards is an ArgumentError."""
        call(getattr(lib, f"pl_world_remove_{self.kind}"), self.world._pointer, self._id)

    def read(self) -> dict:
        """What the library says of it, as a dict: forces, places, numbers of nodes."""
        facts = ffi.new(f"pl_{self.kind}_facts *")
        call(getattr(lib, f"pl_world_read_{self.kind}"), self.world._pointer, self._id, facts)
        return _values.plain(facts)

    def __repr__(self):
        return f"<{self.kind} {self._id.index1}>"


class Obstacle(Handle):
    """Something rigid that bodies do not enter."""

    @recorded
    def move(self, translation: Sequence[float], rotation: Sequence[float] = (0, 0, 0)) -> None:
        """The next step carries it there: m and degrees, against where it was made."""
        call(lib.pl_world_move_obstacle, self.world._pointer, self._id, list(translation), list(rotation))


class Pull(Handle):
    """A spring from a point of a body to a target in space."""

    @recorded
    def move(self, target: Sequence[float]) -> None:
        """Another target, m."""
        call(lib.pl_world_move_pull, self.world._pointer, self._id, list(target))


class Effect(Handle):
    """Acts on a whole body."""

    @recorded
    def set(self, **values: Any) -> None:
        """Other numbers for some of its parameters."""
        for name, value in values.items():
            keep, choice = [], ffi.new("pl_choice *")
            _values.as_choice(choice, Member("", {name.replace("_", "-"): value}), keep)
            call(lib.pl_world_set_effect, self.world._pointer, self._id, choice.settings)

    def read(self) -> dict:
        """Its parameters by name."""
        member, value, found = ffi.new("const pl_member **"), ffi.new("double[3]"), {}
        call(lib.pl_world_read_effect, self.world._pointer, self._id, member, ffi.NULL, ffi.NULL)
        for param in ffi.unpack(member[0].params, member[0].param_count):
            call(lib.pl_world_read_effect, self.world._pointer, self._id, ffi.NULL, param.name, value)
            found[text_of(param.name)] = list(value)[:param.width] if param.width > 1 else value[0]
        return found


class Link(Effect):
    """Pulls at a point of a body and a point of another."""

    def state(self) -> dict:
        """Where its ends are, its length and rate, and its tension in N."""
        facts = ffi.new("pl_link_facts *")
        call(lib.pl_world_read_link, self.world._pointer, self._id, facts)
        return {"ends": [list(end) for end in facts.ends], "length": facts.length, "rate": facts.rate,
                "tension": facts.tension}


class Probe(Handle):
    """Watches a quantity."""

    @property
    def name(self) -> str:
        return text_of(lib.pl_world_probe_name(self.world._pointer, self._id))

    @property
    def unit(self) -> str:
        return text_of(lib.pl_world_probe_unit(self.world._pointer, self._id))

    @property
    def value(self) -> Union[float, numpy.ndarray]:
        """A number, or an array of three."""
        value = ffi.new("double[3]")
        call(lib.pl_world_read_probe, self.world._pointer, self._id, value)
        width = lib.pl_world_probe_width(self.world._pointer, self._id)
        return value[0] if width == 1 else numpy.array(list(value))


class Body:
    """A body of a world. Arrays have a row for each node, or element, in the mesh's order."""

    kind = "body"

    def __init__(self, world, identity):
        self.world, self._id = world, identity

    @property
    def name(self) -> str:
        return text_of(lib.pl_world_body_name(self.world._pointer, self._id))

    @property
    def mesh(self) -> Mesh:
        return Mesh._of(self)

    @property
    def _mesh(self):
        pointer = lib.pl_world_body_mesh(self.world._pointer, self._id)
        if pointer == ffi.NULL:
            raise exceptions[lib.PL_E_ARGUMENT]("this body was removed from its world")
        return pointer

    def _get(self, function, rows, *columns):
        arrays = [numpy.empty((rows, c) if c > 1 else rows) for c in columns]
        call(function, self.world._pointer, self._id, *[ffi.from_buffer("double[]", a) for a in arrays])
        return arrays[0] if len(arrays) == 1 else tuple(arrays)

    def _set(self, function, value):
        keep = []
        pointer, array = _values.numbers(value, "double", keep)
        if array.shape != (self._nodes, 3):
            raise ValueError(f"{self._nodes} rows of 3 numbers are wanted, not an array of shape {array.shape}")
        call(function, self.world._pointer, self._id, pointer)

    @property
    def _nodes(self):
        return lib.pl_mesh_node_count(self._mesh)

    @property
    def _elements(self):
        return lib.pl_mesh_element_count(self._mesh)

    @property
    def positions(self) -> numpy.ndarray:
        """m; assigning moves the nodes. A copy in the mesh's order of nodes; view() has none."""
        return self._get(lib.pl_world_get_positions, self._nodes, 3)

    @positions.setter
    def positions(self, value):
        self._set(lib.pl_world_set_positions, value)

    @property
    def velocities(self) -> numpy.ndarray:
        """m/s; assigning sets them."""
        return self._get(lib.pl_world_get_velocities, self._nodes, 3)

    @velocities.setter
    def velocities(self, value):
        self._set(lib.pl_world_set_velocities, value)

    @property
    def surface(self) -> Optional[Mesh]:
        """The finer triangles that follow the body, at rest; None: it has none."""
        pointer = lib.pl_world_body_surface(self.world._pointer, self._id)
        if pointer == ffi.NULL:
            return None

        def view(function, count, ctype, columns):
            kind = {"double": numpy.float64, "int": numpy.intc}[ctype]
            size = count * columns * numpy.dtype(kind).itemsize
            return numpy.frombuffer(bytes(ffi.buffer(function(pointer), size)), kind).reshape(count, columns)

        return Mesh(view(lib.pl_mesh_nodes, lib.pl_mesh_node_count(pointer), "double", 3),
                    view(lib.pl_mesh_elements, lib.pl_mesh_element_count(pointer), "int", 3))

    @property
    def vertices(self) -> numpy.ndarray:
        """Where the points of the surface are, or of the mesh where it has none: m, single precision."""
        pointer = lib.pl_world_body_surface(self.world._pointer, self._id)
        count = lib.pl_mesh_node_count(pointer if pointer != ffi.NULL else self._mesh)
        array = numpy.empty((count, 3), numpy.float32)
        call(lib.pl_world_get_vertices, self.world._pointer, self._id, 3, ffi.from_buffer("float[]", array), ffi.NULL)
        return array

    @property
    def von_mises(self) -> numpy.ndarray:
        """Von Mises stress of every element, Pa."""
        return self._get(lib.pl_world_get_stress, self._elements, 1, 1)[0]

    @property
    def volume_ratio(self) -> numpy.ndarray:
        """det F of every element."""
        return self._get(lib.pl_world_get_stress, self._elements, 1, 1)[1]

    @property
    def deformation_gradient(self) -> numpy.ndarray:
        """dx/dX of every element, 3 x 3."""
        return self._get(lib.pl_world_get_tensors, self._elements, 9, 9)[0].reshape(-1, 3, 3)

    @property
    def stress(self) -> numpy.ndarray:
        """Cauchy stress of every element, Pa, 3 x 3."""
        return self._get(lib.pl_world_get_tensors, self._elements, 9, 9)[1].reshape(-1, 3, 3)

    @property
    def inner_forces(self) -> numpy.ndarray:
        """Elastic and viscous forces on every node, N."""
        return self._get(lib.pl_world_get_forces, self._nodes, 3, 3)[0]

    @property
    def outer_forces(self) -> numpy.ndarray:
        """Forces from outside on every node without weight, N."""
        return self._get(lib.pl_world_get_forces, self._nodes, 3, 3)[1]

    def view(self) -> View:
        """Positions, velocities, forces and stress where the library keeps them, without a copy."""
        return View(self)

    @recorded
    def set_forces(self, forces: Optional[Sequence]) -> None:
        """A program's own forces on the nodes, N; they act until they are set again (None: no more)."""
        if forces is None:
            call(lib.pl_world_set_forces, self.world._pointer, self._id, ffi.NULL)
        else:
            self._set(lib.pl_world_set_forces, forces)

    @recorded
    def set_force_field(self, function: Optional[Callable]) -> None:
        """Forces that depend on where the nodes are: function(time, positions, velocities) returns
        forces in N, a row for each node, or these and their derivatives by the node's own position
        (n x 3 x 3, N/m), with which stiff fields are stepped implicitly. It is asked for every
        evaluation of the integrator. What it raises ends the step, with the world as before it.
        None ends the field."""
        field = None if function is None else Field(function, self._nodes, self.world._ear)
        call(lib.pl_world_set_force_field, self.world._pointer, self._id,
             ffi.NULL if field is None else field.struct)
        self.world._fields[(self._id.index1, self._id.generation)] = field

    @recorded
    def set_material(self, material: Material) -> None:
        """Another material; the body keeps its shape and velocity."""
        keep, struct = [], ffi.new("pl_material_def *", lib.pl_material_def_default())
        material._fill(struct, keep)
        call(lib.pl_world_set_material, self.world._pointer, self._id, struct)
        self.world._keep_law(material)

    def throw(self, velocity: Sequence[float]) -> None:
        """Gives a body that nothing holds this mean velocity, m/s."""
        call(lib.pl_world_throw, self.world._pointer, self._id, list(velocity))

    def find(self, at: Sequence[float]) -> Spot:
        """The point of the body at a place of its rest shape, for pulls."""
        spot = ffi.new("pl_spot *")
        call(lib.pl_world_find_spot, self.world._pointer, self._id, list(at), spot)
        return Spot(spot)

    @recorded
    def pin(self, node: int) -> None:
        """Holds a node where it is."""
        call(lib.pl_world_pin_node, self.world._pointer, self._id, node)

    @recorded
    def release(self, node: int) -> None:
        """Lets a pinned node go."""
        call(lib.pl_world_release_node, self.world._pointer, self._id, node, ffi.NULL)

    @recorded
    def fix(self, *where: Where, **values: Any) -> Handle:
        """Holds or moves the nodes of sets or regions."""
        return self.world._add("fix", {"where": list(where), **values}, self)

    @recorded
    def load(self, load: Where, *where: Where, **values: Any) -> Handle:
        """A member of pliant.load on sets or regions."""
        return self.world._add("load", {"load": load, "where": list(where), **values}, self)

    @recorded
    def effect(self, effect: Union[str, Member]) -> Effect:
        """A member of pliant.effect on the whole body; its numbers can be changed."""
        keep, choice, place = [], ffi.new("pl_choice *"), ffi.new("pl_effect_id *")
        _values.as_choice(choice, effect, keep)
        call(lib.pl_world_add_effect, self.world._pointer, self._id, choice, place)
        return Effect(self.world, "effect", place[0])

    @recorded
    def link(self, to: Body, link: Union[str, Member]) -> Link:
        """A member of pliant.link between the points at and to_at of this body and another."""
        keep, choice, place = [], ffi.new("pl_choice *"), ffi.new("pl_effect_id *")
        _values.as_choice(choice, link, keep)
        call(lib.pl_world_add_link, self.world._pointer, self._id, to._id, choice, place)
        return Link(self.world, "effect", place[0])

    @recorded
    def rigid(self, *where: Where, **values: Any) -> Handle:
        """Elements that move as one rigid body."""
        return self.world._add("rigid", {"where": list(where), **values}, self)

    @recorded
    def attach(self, to: Body, *where: Where, **values: Any) -> Handle:
        """Attaches nodes to another body."""
        return self.world._add("attachment", {"to": to, "where": list(where), **values}, self)

    @recorded
    def pull(self, at: Union[Spot, Sequence[float]], target: Sequence[float], **values: Any) -> Pull:
        """A spring from a point of the body to a target in space."""
        spot = at if isinstance(at, Spot) else self.find(at)
        return self.world._add("pull", {"at": spot, "target": target, **values})

    @recorded
    def remove(self) -> None:
        """Takes the body out of the world with all that acts on it."""
        call(lib.pl_world_remove_body, self.world._pointer, self._id)
        self.world._fields.pop((self._id.index1, self._id.generation), None)

    def __repr__(self):
        return f"<Body {self.name!r}>"


class Spot:
    """A point that moves with a body."""

    def __init__(self, struct):
        self._struct = struct

    def _fill(self, struct, keep):
        ffi.memmove(ffi.addressof(struct), self._struct, ffi.sizeof("pl_spot"))
