"""The results of `pliant run`: the states that a run has recorded, as arrays."""
from __future__ import annotations

import os
import struct
from typing import Iterator

import numpy

from .scene import Scene

_MAGIC = b"PLIANTR2"


class Run:
    """A folder that `pliant run` has written: its scene, and the states of its frames.

        run = pliant.Run("out/bar")
        for time, world in run:
            print(time, world.body("bar").positions[:, 2].min())

    The world of a frame is the same object every time, in another state.
    """

    def __init__(self, folder: str | os.PathLike):
        self.folder = os.fspath(folder)
        path = os.path.join(self.folder, "recording.plr")
        with open(path, "rb") as file:
            data = file.read()
        if data[:8] != _MAGIC or len(data) < 32:
            raise ValueError(f"{path} is no recording of this version")
        _, note_size, state_size = struct.unpack("=3Q", data[8:32])
        if state_size >> 63:
            raise ValueError(f"{path} is of a mesh that is refined while it moves; look at it with pliant view")
        place = 32 + note_size
        self._states = [data[at:at + state_size] for at in range(place, len(data) - state_size + 1, state_size)]
        self.scene = Scene(self._scene_path(), threads=1)

    def _scene_path(self):
        folder = os.path.join(self.folder, "scene")
        scenes = sorted(each for each in os.listdir(folder) if each.endswith(".xml"))
        if not scenes:
            raise ValueError(f"{folder} holds no scene")
        return os.path.join(folder, scenes[0])

    def __len__(self) -> int:
        return len(self._states)

    def __getitem__(self, index: int) -> Scene:
        """The scene's world in the state of that frame."""
        self.scene.load(self._states[index])
        return self.scene

    def __iter__(self) -> Iterator[tuple[float, Scene]]:
        for index in range(len(self)):
            world = self[index]
            yield world.time, world

    def surfaces(self) -> dict[str, tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]]:
        """What is drawn of each body: points at rest, faces, and where the points are in each frame
        (frames x points x 3)."""
        found = {}
        for body in self.scene.bodies:
            mesh = body.surface or body.mesh
            found[body.name] = (numpy.array(mesh.nodes), numpy.array(mesh.faces if body.surface is None else mesh.elements),
                                numpy.empty((len(self), len(mesh.nodes), 3), numpy.float32))
        for index, (_, world) in enumerate(self):
            for body in world.bodies:
                found[body.name][2][index] = body.vertices
        return found
