"""Scenes: a world from an XML file."""
import html
import os
import re
import subprocess
import threading
import webbrowser
import weakref

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

    def show(self, port=0, command="pliant"):
        """The scene in the viewer, a program of its own that begins with the scene from its start:
        in a notebook the page is the cell's result, elsewhere show().open() opens the browser."""
        return Viewer(self._made_of, port, command)

    def __reduce__(self):
        return _again, (self._made_of, self.save())


class Viewer:
    """A running `pliant view`: url is its page. Ends with close(), or with Python."""

    def __init__(self, made_of, port=0, command="pliant"):
        path, changes, threads, allow_any_path = made_of
        words = [command, "view", "--no-open", "--framed", "-q", path] + (["--port", str(port)] if port else [])
        for name, value in changes.items():
            words += ["--set", f"{name}={value}"]
        words += ["--threads", str(threads)] if threads else []
        words += ["--allow-path"] if allow_any_path else []
        self._process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self._finalizer = weakref.finalize(self, _end, self._process)
        self.messages, self.url = [], None
        while self.url is None:
            line = self._process.stdout.readline()
            if not line:
                self.close()
                raise RuntimeError(f"{command} view did not start: " + " ".join(self.messages).strip())
            self.messages.append(line)
            found = re.search(r"http://\S+", line)
            self.url = found and found.group(0)
        # what it says later must not wait for a reader
        threading.Thread(target=self.messages.extend, args=(self._process.stdout,), daemon=True).start()

    def close(self):
        self._finalizer()

    def open(self):
        """Shows the page in the browser."""
        webbrowser.open(self.url)
        return self

    def _repr_html_(self):
        return f'<iframe src="{html.escape(self.url)}" width="100%" height="600" style="border:0"></iframe>'


def _end(process):
    process.terminate()
    process.wait()
    process.stdout.close()


def _sentence(error):
    buffer = ffi.new("char[1024]")
    return text_of(lib.pl_error_text(error, buffer, 1024))


def _again(made_of, state):
    scene = Scene(*made_of)
    scene.load(state)
    return scene
