"""The world: bodies, what acts on them, and the step that moves them."""
from __future__ import annotations

import os
import tempfile
import threading
from typing import Any, Callable, Optional, Sequence, Union

import numpy

from . import _values
from ._callbacks import Ear
from ._export import write_scene
from ._library import call, exceptions, ffi, lib
from ._recipe import Recipe, recorded
from .body import Body, Handle, Material, Obstacle, Probe, Pull, Spot, _definition
from .families import Member
from .mesh import Mesh
from .viewer import Viewer


class World:
    """Bodies and what acts on them.

    World(dt=0.01, gravity=(0, 0, -9.81), integrator="bdf2", solver="cg", threads=2)

    step() lets other Python threads run; a world that is being stepped answers nobody else. Worlds
    can be pickled and copied (copy.deepcopy): they are made again and go on with the same bits.
    """

    def __init__(self, **values: Any):
        keep, place, self._values = [], ffi.new("pl_world **"), values
        self._ear = Ear()
        definition = _definition("world", values, keep)
        self._ear.listen(definition)
        call(lib.pl_world_create, definition, place)
        self._own(place[0], lib.pl_world_destroy)

    def _own(self, pointer, destroy, world=None):
        """Takes over what the library has made; a forked process leaves it alone."""
        process, ear = os.getpid(), self._ear

        def end(made):
            if os.getpid() == process:
                destroy(made)
            ear.raised = None  # the ear lives as long as the world

        self._made = ffi.gc(pointer, end)
        self._world = self._made if world is None else world
        self._process, self._stepper = process, None
        self._recipe, self._fields, self._laws = Recipe(), {}, []
        self._lock = threading.Lock()
        lib.pl_world_set_watcher(self._world, self._ear.watcher)

    @property
    def _pointer(self):
        if self._process != os.getpid():
            raise RuntimeError("this world belongs to the process that was forked; make it there, or "
                               "start processes by the method 'spawn'")
        if self._stepper is not None:
            raise RuntimeError("this world is being stepped" + (
                " and asks this function; use its arguments" if self._stepper == threading.get_ident()
                else " by another thread; wait for it"))
        return self._world

    def _begin(self):
        """The world is this thread's until _end."""
        pointer = self._pointer
        if not self._lock.acquire(blocking=False):
            raise RuntimeError("this world is being stepped by another thread; wait for it")
        self._stepper = threading.get_ident()
        return pointer

    def _end(self):
        self._stepper = None
        self._lock.release()

    def _keep_law(self, material):
        if material._own is not None and material._own not in self._laws:
            self._laws.append(material._own)

    def _raised(self):
        """What a function of the user's raised during a step that failed, or None."""
        found = [source._taken() for source in (self._ear, *self._laws)]
        return next((each for each in found if each is not None), None)

    def _known(self, kind, index1, generation):
        """A body or handle that the world has by itself, as those of a scene."""
        identity = ffi.new(f"pl_{kind}_id *", {"index1": index1, "generation": generation})[0]
        return Body(self, identity) if kind == "body" else _handle(kind)(self, kind, identity)

    @property
    def messages(self) -> list[str]:
        """Notes and warnings so far."""
        return list(self._ear.log)

    def _add(self, kind, values, body=None):
        keep, identity = [], ffi.new(f"pl_{kind}_id *")
        definition = _definition(kind, values, keep)
        first = [self._pointer] + ([body._id] if body is not None else [])
        call(getattr(lib, f"pl_world_add_{kind}"), *first, definition, identity)
        return _handle(kind)(self, kind, identity[0])

    @recorded
    def add_body(self, mesh: Mesh, material: Material, **values: Any) -> Body:
        """A body of a mesh."""
        if not isinstance(mesh, Mesh) or not isinstance(material, Material):
            raise TypeError(f"a body needs a Mesh and a Material, not {mesh!r} and {material!r}")
        keep, identity = [], ffi.new("pl_body_id *")
        definition = _definition("body", {"mesh": mesh, "material": material, **values}, keep)
        call(lib.pl_world_add_body, self._pointer, definition, identity)
        self._keep_law(material)
        for each in values.get("parts") or ():
            self._keep_law(each["material"])
        return Body(self, identity[0])

    @recorded
    def add_obstacle(self, shape: Union[str, Member], friction: Optional[float] = None,
                     static_friction: Optional[float] = None, restitution: Optional[float] = None,
                     **values: Any) -> Obstacle:
        """Something rigid that bodies do not enter, with the properties of its surface."""
        surface = {"friction": friction, "static-friction": static_friction, "restitution": restitution}
        if isinstance(shape, str):
            shape = Member(shape, {})
        shape = Member(shape.name, {**shape.settings, **{k: v for k, v in surface.items() if v is not None}})
        return self._add("obstacle", {"shape": shape, **values})

    @recorded
    def add_probe(self, quantity: str, body: Optional[Body] = None, at: Optional[Sequence[float]] = None,
                  name: Optional[str] = None) -> Probe:
        """Watches a quantity (a member of pliant.quantity) at a point of a body's rest shape."""
        return self._add("probe", {"quantity": quantity, "body": body, "at": at, "name": name})

    @recorded
    def set_contact(self, **values: Any) -> None:
        """Contact between bodies."""
        keep = []
        call(lib.pl_world_set_contact, self._pointer, _definition("contact", values, keep))

    @recorded
    def set_tool(self, **values: Any) -> None:
        """The push tool, a sphere; without keywords it is taken away."""
        keep = []
        call(lib.pl_world_set_tool, self._pointer, _definition("tool", values, keep) if values else ffi.NULL)

    @property
    def bodies(self) -> list[Body]:
        pointer = self._pointer
        return [Body(self, lib.pl_world_body_at(pointer, i)) for i in range(lib.pl_world_body_count(pointer))]

    def body(self, name: str) -> Body:
        """The body of this name."""
        for each in self.bodies:
            if each.name == name:
                return each
        raise KeyError(f"there is no body {name!r}; there are {', '.join(b.name for b in self.bodies)}")

    @property
    def probes(self) -> dict[str, Probe]:
        """All probes by name."""
        pointer = self._pointer
        found = [Probe(self, "probe", lib.pl_world_probe_at(pointer, i))
                 for i in range(lib.pl_world_probe_count(pointer))]
        return {each.name: each for each in found}

    def step(self, count: int = 1, before: Optional[Callable[[World], Any]] = None) -> None:
        """Advances by count steps of dt; the GIL is released meanwhile.

        before(world) is called ahead of each step, for forces of your own (body.set_forces), targets
        of pulls and the like. What it raises ends the loop; the world is as after the last step.
        """
        for _ in range(count):
            if before is not None:
                before(self)
            pointer = self._begin()
            try:
                with self._ear:
                    call(lib.pl_world_step, pointer)
            except exceptions[lib.PL_E_CANCELLED]:
                raise self._raised() or KeyboardInterrupt() from None
            except Exception as error:
                raise self._raised() or error
            finally:
                self._end()

    @property
    def time(self) -> float:
        """Simulated, s."""
        return lib.pl_world_time(self._pointer)

    @property
    def dt(self) -> float:
        """The time step, s."""
        return lib.pl_world_dt(self._pointer)

    @dt.setter
    def dt(self, value):
        self.set_dt(value)

    @recorded
    def set_dt(self, dt: float) -> None:
        """Another time step, s."""
        call(lib.pl_world_set_dt, self._pointer, dt)

    @recorded
    def set_gravity(self, gravity: Sequence[float]) -> None:
        """m/s^2"""
        call(lib.pl_world_set_gravity, self._pointer, list(gravity))

    @recorded
    def set_integrator(self, integrator: Union[str, Member]) -> None:
        """A member of pliant.integrator."""
        keep, choice = [], ffi.new("pl_choice *")
        _values.as_choice(choice, integrator, keep)
        call(lib.pl_world_set_integrator, self._pointer, choice)

    @recorded
    def set_solver(self, solver: Union[str, Member], preconditioner: Union[str, Member] = "auto") -> None:
        """Members of pliant.solver and pliant.preconditioner."""
        keep, choices = [], ffi.new("pl_choice[2]")
        _values.as_choice(choices[0], solver, keep)
        _values.as_choice(choices[1], preconditioner, keep)
        call(lib.pl_world_set_solver, self._pointer, choices, choices + 1)

    def measure(self) -> dict:
        """Energies, steps, iterations and times as a dict."""
        facts = ffi.new("pl_world_facts *")
        call(lib.pl_world_measure, self._pointer, facts)
        return _values.plain(facts)

    def contacts(self) -> list[dict]:
        """All contacts of the last step as a list of dicts: point, normal, gap, force, slip."""
        count = ffi.new("int *")
        call(lib.pl_world_contacts, self._pointer, 0, ffi.NULL, count)
        found = ffi.new("pl_contact_point[]", max(1, count[0]))
        call(lib.pl_world_contacts, self._pointer, count[0], found, count)
        return [_values.plain(found[i]) for i in range(count[0])]

    def contact_events(self) -> list[dict]:
        """What has begun to touch since the last call (phase 0), still touches (1) and has ceased
        to (2): a list of dicts with body, other, obstacle, points, force."""
        room = 64
        while True:
            found, count = ffi.new("pl_contact_event[]", room), ffi.new("int *")
            call(lib.pl_world_contact_events, self._pointer, room, found, count)
            if count[0] <= room:
                return [_values.plain(found[i]) for i in range(count[0])]
            room = count[0]

    def pick(self, origin: Sequence[float], direction: Sequence[float]) -> Optional[dict]:
        """The nearest surface along a ray as a dict (spot, point, normal, distance), or None."""
        hit = ffi.new("pl_hit *")
        call(lib.pl_world_pick, self._pointer, list(origin), list(direction), hit)
        if not hit.spot.body.index1:
            return None
        spot = ffi.new("pl_spot *", hit.spot)
        return {"spot": Spot(spot), "distance": hit.distance, "point": numpy.array(list(hit.point)),
                "normal": numpy.array(list(hit.normal)), "face": hit.face}

    def save(self) -> bytes:
        """The whole state as bytes; load() goes on from there with the same bits."""
        size = lib.pl_world_state_size(self._pointer)
        memory = ffi.new("char[]", size)
        call(lib.pl_world_save_state, self._pointer, memory, size)
        return bytes(ffi.buffer(memory, size))

    def load(self, state: bytes) -> None:
        """Goes on from a state of this world, or of one that was made alike."""
        call(lib.pl_world_load_state, self._pointer, ffi.from_buffer(state), len(state))

    @property
    def hash(self) -> int:
        """Equal for the same time, positions and velocities, bit for bit."""
        return lib.pl_world_state_hash(self._pointer)

    def write_scene(self, folder: Union[str, os.PathLike], duration: float = 10) -> str:
        """The world as it was made (not its state) as FOLDER/scene.xml with its meshes, for the
        command and the viewer; returns the path. What scenes have no words for is a ValueError."""
        return write_scene(self, os.fspath(folder), duration)

    def show(self, port: int = 0, command: Optional[str] = None) -> Viewer:
        """The world in the viewer, a program of its own that begins with the world as it was made:
        in a notebook the page is the cell's result, elsewhere show().open() opens the browser."""
        folder = tempfile.TemporaryDirectory(prefix="pliant-")
        viewer = Viewer((self.write_scene(folder.name), {}, 0, False), port, command)
        viewer._folder = folder  # goes with the viewer
        return viewer

    def copy(self) -> World:
        """Another world, made by the same calls, in the same state."""
        return _again(World, self._values, self._recipe, self.save())

    def __reduce__(self):
        return _again, (World, self._values, self._recipe, self.save())

    def __deepcopy__(self, memo):
        return self.copy()

    def __repr__(self):
        return f"<World at {self.time:g} s with {len(self.bodies)} bodies>"


def _handle(kind):
    return {"obstacle": Obstacle, "pull": Pull, "probe": Probe}.get(kind, Handle)


def _again(make, values, recipe, state):
    world = make(**values)
    recipe.follow(world)
    world.load(state)
    return world


def step_all(worlds: Sequence[World], count: int = 1, threads: int = 0) -> None:
    """Steps independent worlds side by side, over so many threads (0: one per processor); make them
    with threads=1. All are tried; the error of the first that failed is raised, and the others
    have made their steps. Ctrl-C cancels all."""
    worlds, group, begun = list(worlds), Ear(), []
    if any(not isinstance(each, World) for each in worlds):
        raise TypeError("step_all takes a list of worlds")
    try:
        for each in worlds:
            pointer = each._begin()
            begun.append(each)
            each._ear.group = group
        pointers = ffi.new("pl_world *[]", [each._world for each in worlds])
        with group:
            call(lib.pl_worlds_step, pointers, len(worlds), count, threads, ffi.NULL, ffi.NULL)
    except Exception as error:
        raise next((e for e in [group._taken()] + [each._raised() for each in begun] if e), error)
    finally:
        for each in begun:
            each._ear.group = None
            each._end()
