"""Pliant simulates deformable bodies.

    import pliant

    mesh = pliant.Mesh.generate("box", size=(1, 0.25, 0.25), cells=(24, 6, 6))
    rubber = pliant.Material(pliant.law.hooke(young=1e6, poisson=0.3), density=1000)
    world = pliant.World(dt=0.01)
    bar = world.add_body(mesh, rubber, model=pliant.model.fem(strain="corotated"))
    bar.fix("x-min")
    world.step(100)
    print(bar.positions[:, 2].min())

Units are SI. Every failing call raises a pliant.Error with a sentence that names value and remedy.
"""
from ._library import Error, exceptions as _exceptions, lib as _lib, text_of as _text_of
from ._callbacks import OwnLaw
from .body import Body, Effect, Handle, Link, Material, Obstacle, Probe, Pull, Spot
from .environment import Environment
from .families import Family, Member, all_families as _all_families
from .mesh import Mesh
from .run import Run
from .scene import Scene
from .view import View
from ._keywords import describe_all as _describe_all
from .world import World, step_all

__version__ = _text_of(_lib.pl_version())
families = _all_families()
globals().update(families)
globals().update({each.__name__: each for each in _exceptions.values()})
_describe_all()
