"""Scenes: a world from an XML file."""
import os

from ._library import Error, call, ffi, lib, text_of
from .world import World


class Scene(World):
    """The world of a scene file. changes: {"world.dt": 0.005, "material[rubber].young": 2e5}.

    A scene can be pickled and copied: it is read again, and goes on from its state.
    """

    def __init__(self, path, changes=None, threads=0, allow_any_path=False):
        self._made_of = (os.fspath(path), dict(changes or {}), threads, allow_any_path)
        texts = [ffi.new("char[]", f"{name}={value}".encode()) for name, value in (changes or {}).items()]
        name = ffi.new("char[]", os.fsencode(path))
        listed = ffi.new("char *[]", texts + [ffi.NULL])
        definition = ffi.new("pl_scene_def *", lib.pl_scene_def_default())
        definition.path, definition.changes, definition.change_count = name, listed, len(texts)
        definition.threads, definition.allow_any_path = threads, allow_any_path
        self._log, errors = [], []
        self._sink = ffi.callback("void(void *, pl_level, const char *)",
                                  lambda _, level, words: self._log.append((level, text_of(words))))
        report = ffi.callback("void(void *, const pl_error *)",
                              lambda _, error: errors.append(_sentence(error)))
        definition.log.write, definition.report = self._sink, report
        place = ffi.new("pl_scene **")
        try:
            call(lib.pl_scene_load, definition, place)
        except Error as error:
            error.all = errors or [str(error)]
            raise
        self._scene = ffi.gc(place[0], lib.pl_scene_destroy)
        self._own(lib.pl_scene_world(self._scene))

    @property
    def title(self):
        return text_of(lib.pl_scene_title(self._scene))

    @property
    def duration(self):
        """s"""
        return lib.pl_scene_duration(self._scene)

    def run(self):
        """Steps to the end of the scene's duration."""
        while self.time < self.duration - 0.5 * self.dt:
            self.step()

    def __reduce__(self):
        return _again, (self._made_of, self.save())


def _sentence(error):
    buffer = ffi.new("char[1024]")
    return text_of(lib.pl_error_text(error, buffer, 1024))


def _again(made_of, state):
    scene = Scene(*made_of)
    scene.load(state)
    return scene
