"""The world: bodies, what acts on them, and the step that moves them."""
import concurrent.futures
import os

import numpy

from . import _values
from ._library import call, exceptions, ffi, lib, text_of
from .families import Member
from .mesh import Mesh


class Material:
    """What a body is made of: a law, a density in kg/m^3, damping, memory, fibres.

    Material(pliant.law.hooke(young=1e6, poisson=0.3), density=1000, stiffness_damping=0.01)
    Keywords are the members of pl_material_def in <pliant/body.h>.
    """

    def __init__(self, law="hooke", **values):
        self.values = {"law": law, **values}
        self._fill(ffi.new("pl_material_def *", lib.pl_material_def_default()), [])

    def _fill(self, struct, keep):
        _values.fill(struct, self.values, keep)

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

    def remove(self):
        """Takes it out of the world; what is asked of it afterwards is an ArgumentError."""
        call(getattr(lib, f"pl_world_remove_{self.kind}"), self.world._pointer, self._id)

    def read(self):
        """What the library says of it, as a dict: forces, places, numbers of nodes."""
        facts = ffi.new(f"pl_{self.kind}_facts *")
        call(getattr(lib, f"pl_world_read_{self.kind}"), self.world._pointer, self._id, facts)
        return _values.plain(facts)

    def __repr__(self):
        return f"<{self.kind} {self._id.index1}>"


class Obstacle(Handle):
    def move(self, translation, rotation=(0, 0, 0)):
        """The next step carries it there: m and degrees, against where it was made."""
        call(lib.pl_world_move_obstacle, self.world._pointer, self._id, list(translation), list(rotation))


class Pull(Handle):
    def move(self, target):
        call(lib.pl_world_move_pull, self.world._pointer, self._id, list(target))


class Probe(Handle):
    @property
    def name(self):
        return text_of(lib.pl_world_probe_name(self.world._pointer, self._id))

    @property
    def unit(self):
        return text_of(lib.pl_world_probe_unit(self.world._pointer, self._id))

    @property
    def value(self):
        """A number, or an array of three."""
        value = ffi.new("double[3]")
        call(lib.pl_world_read_probe, self.world._pointer, self._id, value)
        width = lib.pl_world_probe_width(self.world._pointer, self._id)
        return value[0] if width == 1 else numpy.array(list(value))


class Body:
    """A body of a world. Arrays have a row for each node, or element, in the mesh's order."""

    def __init__(self, world, identity):
        self.world, self._id = world, identity

    @property
    def name(self):
        return text_of(lib.pl_world_body_name(self.world._pointer, self._id))

    @property
    def mesh(self):
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
    def positions(self):
        """m; assigning moves the nodes. The array is a copy in the mesh's order of nodes."""
        return self._get(lib.pl_world_get_positions, self._nodes, 3)

    @positions.setter
    def positions(self, value):
        self._set(lib.pl_world_set_positions, value)

    @property
    def velocities(self):
        """m/s; assigning sets them."""
        return self._get(lib.pl_world_get_velocities, self._nodes, 3)

    @velocities.setter
    def velocities(self, value):
        self._set(lib.pl_world_set_velocities, value)

    @property
    def von_mises(self):
        """Von Mises stress of every element, Pa."""
        return self._get(lib.pl_world_get_stress, self._elements, 1, 1)[0]

    @property
    def volume_ratio(self):
        """det F of every element."""
        return self._get(lib.pl_world_get_stress, self._elements, 1, 1)[1]

    @property
    def deformation_gradient(self):
        """dx/dX of every element, 3 x 3."""
        return self._get(lib.pl_world_get_tensors, self._elements, 9, 9)[0].reshape(-1, 3, 3)

    @property
    def stress(self):
        """Cauchy stress of every element, Pa, 3 x 3."""
        return self._get(lib.pl_world_get_tensors, self._elements, 9, 9)[1].reshape(-1, 3, 3)

    @property
    def inner_forces(self):
        """Elastic and viscous forces on every node, N."""
        return self._get(lib.pl_world_get_forces, self._nodes, 3, 3)[0]

    @property
    def outer_forces(self):
        """Forces from outside on every node without weight, N."""
        return self._get(lib.pl_world_get_forces, self._nodes, 3, 3)[1]

    def set_forces(self, forces):
        """A program's own forces on the nodes, N; they act until they are set again (None: no more)."""
        if forces is None:
            call(lib.pl_world_set_forces, self.world._pointer, self._id, ffi.NULL)
        else:
            self._set(lib.pl_world_set_forces, forces)

    def set_material(self, material):
        keep, struct = [], ffi.new("pl_material_def *", lib.pl_material_def_default())
        material._fill(struct, keep)
        call(lib.pl_world_set_material, self.world._pointer, self._id, struct)

    def throw(self, velocity):
        """Gives a body that nothing holds this mean velocity, m/s."""
        call(lib.pl_world_throw, self.world._pointer, self._id, list(velocity))

    def find(self, at):
        """The point of the body at a place of its rest shape, for pulls."""
        spot = ffi.new("pl_spot *")
        call(lib.pl_world_find_spot, self.world._pointer, self._id, list(at), spot)
        return Spot(spot)

    def pin(self, node):
        call(lib.pl_world_pin_node, self.world._pointer, self._id, node)

    def release(self, node):
        call(lib.pl_world_release_node, self.world._pointer, self._id, node, ffi.NULL)

    def fix(self, *where, **values):
        """Holds or moves the nodes of sets or regions; keywords: those of pl_fix_def."""
        return self.world._add("fix", {"where": list(where), **values}, self)

    def load(self, load, *where, **values):
        """A member of pliant.load on sets or regions; keywords: those of pl_load_def."""
        return self.world._add("load", {"load": load, "where": list(where), **values}, self)

    def rigid(self, *where, **values):
        """Elements that move as one rigid body; keywords: those of pl_rigid_def."""
        return self.world._add("rigid", {"where": list(where), **values}, self)

    def attach(self, to, *where, **values):
        """Attaches nodes to another body; keywords: those of pl_attachment_def."""
        return self.world._add("attachment", {"to": to, "where": list(where), **values}, self)

    def pull(self, at, target, **values):
        """A spring from a point of the body to a target in space; keywords: those of pl_pull_def."""
        spot = at if isinstance(at, Spot) else self.find(at)
        return self.world._add("pull", {"at": spot, "target": target, **values})

    def remove(self):
        """Takes the body out of the world with all that acts on it."""
        call(lib.pl_world_remove_body, self.world._pointer, self._id)

    def __repr__(self):
        return f"<Body {self.name!r}>"


class Spot:
    """A point that moves with a body."""

    def __init__(self, struct):
        self._struct = struct

    def _fill(self, struct, keep):
        ffi.memmove(ffi.addressof(struct), self._struct, ffi.sizeof("pl_spot"))


class World:
    """Bodies and what acts on them. Keywords are the members of pl_world_def in <pliant/world.h>:

    World(dt=0.01, gravity=(0, 0, -9.81), integrator="bdf2", solver="cg", threads=2)

    A world is used by one thread at a time; step() lets other Python threads run.
    """

    def __init__(self, **values):
        keep, place = [], ffi.new("pl_world **")
        self._log = []
        self._sink = ffi.callback("void(void *, pl_level, const char *)",
                                  lambda _, level, words: self._log.append((level, text_of(words))))
        definition = _definition("world", values, keep)
        definition.log.write = self._sink
        call(lib.pl_world_create, definition, place)
        self._own(ffi.gc(place[0], lib.pl_world_destroy))

    def _own(self, pointer):
        self._world, self._process = pointer, os.getpid()
        self._interrupt = None
        self._ask = ffi.callback("int(void *, double)", lambda _, time: 0, error=1, onerror=self._interrupted)
        self._watcher = ffi.new("pl_watcher *", {"ask": self._ask})
        lib.pl_world_set_watcher(pointer, self._watcher)

    def _interrupted(self, kind, value, trace):
        """Ctrl-C is heard where the library asks; the step is cancelled and the world as before."""
        self._interrupt = value

    @property
    def _pointer(self):
        if self._process != os.getpid():
            raise RuntimeError("this world belongs to the process that was forked; make it there, or "
                               "start processes by the method 'spawn'")
        return self._world

    @property
    def messages(self):
        """Notes and warnings so far."""
        return [words for _, words in self._log]

    def _add(self, kind, values, body=None):
        keep, identity = [], ffi.new(f"pl_{kind}_id *")
        definition = _definition(kind, values, keep)
        first = [self._pointer] + ([body._id] if body is not None else [])
        call(getattr(lib, f"pl_world_add_{kind}"), *first, definition, identity)
        return {"obstacle": Obstacle, "pull": Pull, "probe": Probe}.get(kind, Handle)(self, kind, identity[0])

    def add_body(self, mesh, material, **values):
        """A body of a mesh; keywords: those of pl_body_def (model, velocity, name, surface ...)."""
        keep, identity = [], ffi.new("pl_body_id *")
        definition = _definition("body", {"mesh": mesh, "material": material, **values}, keep)
        call(lib.pl_world_add_body, self._pointer, definition, identity)
        return Body(self, identity[0])

    def add_obstacle(self, shape, friction=None, static_friction=None, restitution=None, **values):
        """Something rigid that bodies do not enter, with the properties of its surface; more
        keywords: those of pl_obstacle_def."""
        surface = {"friction": friction, "static-friction": static_friction, "restitution": restitution}
        if isinstance(shape, str):
            shape = Member(shape, {})
        shape = Member(shape.name, {**shape.settings, **{k: v for k, v in surface.items() if v is not None}})
        return self._add("obstacle", {"shape": shape, **values})

    def add_probe(self, quantity, body=None, at=None, name=None):
        """Watches a quantity (a member of pliant.quantity) at a point of a body's rest shape."""
        return self._add("probe", {"quantity": quantity, "body": body, "at": at, "name": name})

    def set_contact(self, **values):
        """Contact between bodies; keywords: those of pl_contact_def."""
        keep = []
        call(lib.pl_world_set_contact, self._pointer, _definition("contact", values, keep))

    def set_tool(self, **values):
        """The push tool, a sphere; without keywords it is taken away."""
        keep = []
        call(lib.pl_world_set_tool, self._pointer, _definition("tool", values, keep) if values else ffi.NULL)

    @property
    def bodies(self):
        pointer = self._pointer
        return [Body(self, lib.pl_world_body_at(pointer, i)) for i in range(lib.pl_world_body_count(pointer))]

    def body(self, name):
        for each in self.bodies:
            if each.name == name:
                return each
        raise KeyError(f"there is no body {name!r}; there are {', '.join(b.name for b in self.bodies)}")

    @property
    def probes(self):
        """All probes by name."""
        pointer = self._pointer
        found = [Probe(self, "probe", lib.pl_world_probe_at(pointer, i))
                 for i in range(lib.pl_world_probe_count(pointer))]
        return {each.name: each for each in found}

    def step(self, count=1, before=None):
        """Advances by count steps of dt; the GIL is released meanwhile.

        before(world) is called ahead of each step, for forces of your own (body.set_forces), targets
        of pulls and the like. What it raises ends the loop; the world is as after the last step.
        """
        pointer = self._pointer
        for _ in range(count):
            if before is not None:
                before(self)
            try:
                call(lib.pl_world_step, pointer)
            except exceptions[lib.PL_E_CANCELLED]:
                interrupt, self._interrupt = self._interrupt, None
                raise interrupt if interrupt is not None else KeyboardInterrupt from None

    @property
    def time(self):
        return lib.pl_world_time(self._pointer)

    @property
    def dt(self):
        return lib.pl_world_dt(self._pointer)

    @dt.setter
    def dt(self, value):
        call(lib.pl_world_set_dt, self._pointer, value)

    def set_gravity(self, gravity):
        call(lib.pl_world_set_gravity, self._pointer, list(gravity))

    def set_integrator(self, integrator):
        keep, choice = [], ffi.new("pl_choice *")
        _values.as_choice(choice, integrator, keep)
        call(lib.pl_world_set_integrator, self._pointer, choice)

    def set_solver(self, solver, preconditioner="auto"):
        keep, choices = [], ffi.new("pl_choice[2]")
        _values.as_choice(choices[0], solver, keep)
        _values.as_choice(choices[1], preconditioner, keep)
        call(lib.pl_world_set_solver, self._pointer, choices, choices + 1)

    def measure(self):
        """Energies, steps, iterations and times as a dict."""
        facts = ffi.new("pl_world_facts *")
        call(lib.pl_world_measure, self._pointer, facts)
        return _values.plain(facts)

    def contacts(self):
        """All contacts of the last step as a list of dicts: point, normal, gap, force, slip."""
        count = ffi.new("int *")
        call(lib.pl_world_contacts, self._pointer, 0, ffi.NULL, count)
        found = ffi.new("pl_contact_point[]", max(1, count[0]))
        call(lib.pl_world_contacts, self._pointer, count[0], found, count)
        return [_values.plain(found[i]) for i in range(count[0])]

    def contact_events(self):
        """What has begun to touch since the last call (phase 0), still touches (1) and has ceased
        to (2): a list of dicts with body, other, obstacle, points, force."""
        room = 64
        while True:
            found, count = ffi.new("pl_contact_event[]", room), ffi.new("int *")
            call(lib.pl_world_contact_events, self._pointer, room, found, count)
            if count[0] <= room:
                return [_values.plain(found[i]) for i in range(count[0])]
            room = count[0]

    def pick(self, origin, direction):
        """The nearest surface along a ray as a dict (spot, point, normal, distance), or None."""
        hit = ffi.new("pl_hit *")
        call(lib.pl_world_pick, self._pointer, list(origin), list(direction), hit)
        if not hit.spot.body.index1:
            return None
        spot = ffi.new("pl_spot *", hit.spot)
        return {"spot": Spot(spot), "distance": hit.distance, "point": numpy.array(list(hit.point)),
                "normal": numpy.array(list(hit.normal)), "face": hit.face}

    def save(self):
        """The whole state as bytes; load() goes on from there with the same bits."""
        size = lib.pl_world_state_size(self._pointer)
        memory = ffi.new("char[]", size)
        call(lib.pl_world_save_state, self._pointer, memory, size)
        return bytes(ffi.buffer(memory, size))

    def load(self, state):
        call(lib.pl_world_load_state, self._pointer, ffi.from_buffer(state), len(state))

    @property
    def hash(self):
        """Equal for the same time, positions and velocities, bit for bit."""
        return lib.pl_world_state_hash(self._pointer)

    def __reduce__(self):
        raise TypeError("a world cannot be pickled: pickle the function that makes it and world.save(), "
                        "or a Scene, which knows its file")

    def __repr__(self):
        return f"<World at {self.time:g} s with {len(self.bodies)} bodies>"


def step_all(worlds, count=1, threads=None):
    """Steps independent worlds side by side; make them with threads=1."""
    with concurrent.futures.ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        list(pool.map(lambda world: world.step(count), worlds))
