"""Scenes: a world from an XML file."""
from __future__ import annotations

import os
from typing import Optional, Union

from ._callbacks import Ear
from ._library import Error, call, ffi, lib, text_of
from .viewer import Viewer
from .world import World


class Scene(World):
    """The world of a scene file. changes: {"world.dt": 0.005, "material[rubber].young": 2e5}.

    A scene can be pickled and copied: it is read again, and goes on from its state.
    """

    def __init__(self, path: Union[str, os.PathLike], changes: Optional[dict] = None, threads: int = 0,
                 allow_any_path: bool = False):
        self._made_of = (os.fspath(path), dict(changes or {}), threads, allow_any_path)
        texts = [ffi.new("char[]", f"{name}={value}".encode()) for name, value in (changes or {}).items()]
        name = ffi.new("char[]", os.fsencode(path))
        listed = ffi.new("char *[]", texts + [ffi.NULL])
        definition = ffi.new("pl_scene_def *", lib.pl_scene_def_default())
        definition.path, definition.changes, definition.change_count = name, listed, len(texts)
        definition.threads, definition.allow_any_path = threads, allow_any_path
        self._ear, errors = Ear(), []
        report = ffi.callback("void(void *, const pl_error *)",
                              lambda _, error: errors.append(_sentence(error)))
        self._ear.listen(definition)
        definition.report = report
        place = ffi.new("pl_scene **")
        try:
            call(lib.pl_scene_load, definition, place)
        except Error as error:
            error.all = errors or [str(error)]
            raise
        self._own(place[0], lib.pl_scene_destroy, lib.pl_scene_world(place[0]))

    @property
    def title(self) -> str:
        return text_of(lib.pl_scene_title(self._made))

    @property
    def duration(self) -> float:
        """s"""
        return lib.pl_scene_duration(self._made)

    def run(self) -> None:
        """Steps to the end of the scene's duration."""
        while self.time < self.duration - 0.5 * self.dt:
            self.step()

    def show(self, port: int = 0, command: Optional[str] = None) -> Viewer:
        """The scene in the viewer, a program of its own that begins with the scene from its start:
        in a notebook the page is the cell's result, elsewhere show().open() opens the browser."""
        return Viewer(self._made_of, port, command)

    def copy(self) -> Scene:
        """Read again, changed by the same calls, in the same state."""
        return _again(self._made_of, self._recipe, self.save())

    def __reduce__(self):
        return _again, (self._made_of, self._recipe, self.save())


def _sentence(error):
    buffer = ffi.new("char[1024]")
    return text_of(lib.pl_error_text(error, buffer, 1024))


def _again(made_of, recipe, state):
    scene = Scene(*made_of)
    recipe.follow(scene)
    scene.load(state)
    return scene
