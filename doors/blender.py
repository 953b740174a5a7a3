"""Brings a folder that `pliant run` has written into Blender, as animated objects: one for each body.

    blender --python blender.py -- out/bar                     opens it
    blender --background --python blender.py -- out/bar bar.blend   saves it

Or in Blender's text editor: import blender; blender.import_run("out/bar").

What is in the folder is taken in this order: point caches (`<output format="pc2">` or "mdd", with
their .obj), .glb files, and else the recording, for which Blender's Python must find the package
pliant (PYTHONPATH). Shapes become a mesh with a cache of points, so that nothing is lost and large
runs stay small, and frames are those of the run; a .glb file is played by its time.
"""
import glob
import os
import struct
import sys

import bpy


def read_obj(path):
    """Points and faces, nothing else."""
    points, faces = [], []
    with open(path) as file:
        for line in file:
            words = line.split()
            if words[:1] == ["v"]:
                points.append(tuple(map(float, words[1:4])))
            elif words[:1] == ["f"]:
                faces.append(tuple(int(word.split("/")[0]) - 1 for word in words[1:]))
    return points, faces


def write_pc2(path, frames, rate=1.0):
    """Points of all frames: 12 bytes each behind a head of 32."""
    with open(path, "wb") as file:
        file.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, len(frames[0]), 0.0, rate, len(frames)))
        for points in frames:
            file.write(points.astype("<f4").tobytes())


def frames_of(path):
    """How many frames a cache holds."""
    with open(path, "rb") as file:
        head = file.read(32)
    if path.endswith(".pc2"):
        return struct.unpack("<12siiffi", head)[5]
    return struct.unpack(">ii", head[:8])[0]


def add_object(name, points, faces, cache):
    """A mesh that follows its cache from frame 1 on."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([tuple(map(float, p)) for p in points], [], [tuple(map(int, f)) for f in faces])
    mesh.update()
    shown = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(shown)
    modifier = shown.modifiers.new("pliant", "MESH_CACHE")
    modifier.cache_format = "PC2" if cache.endswith(".pc2") else "MDD"
    modifier.filepath = os.path.abspath(cache)
    # the files have z upwards, as Blender has
    modifier.forward_axis, modifier.up_axis = "POS_Y", "POS_Z"
    modifier.frame_start, modifier.frame_scale = 1.0, 1.0
    return shown


def from_caches(folder):
    made, most = [], 0
    for cache in sorted(glob.glob(os.path.join(folder, "*.pc2")) + glob.glob(os.path.join(folder, "*.mdd"))):
        shape = os.path.splitext(cache)[0] + ".obj"
        if not os.path.exists(shape):
            continue
        made.append(add_object(os.path.splitext(os.path.basename(cache))[0], *read_obj(shape), cache))
        most = max(most, frames_of(cache))
    return made, most


def from_glb(folder):
    made, most = [], 0
    # Blender 3.4's importer takes a name that NumPy has dropped in 1.24, which Debian 12 has beside it
    import numpy
    if not hasattr(numpy, "bool"):
        numpy.bool = bool
    for path in sorted(glob.glob(os.path.join(folder, "*.glb"))):
        before = set(bpy.data.objects)
        bpy.ops.import_scene.gltf(filepath=path)
        made += [each for each in bpy.data.objects if each not in before]
    for each in made:
        keys = getattr(each.data, "shape_keys", None)
        action = keys.animation_data.action if keys and keys.animation_data else None
        most = max(most, int(action.frame_range[1]) if action else 0)
    return made, most


def from_recording(folder):
    try:
        import pliant
    except ImportError as error:
        raise RuntimeError(f"{folder} has no .pc2, .mdd or .glb files, and the recording needs the package pliant: "
                           f"set PYTHONPATH, or add <output format=\"pc2\"/> to the scene ({error})") from None
    run, made = pliant.Run(folder), []
    for name, (points, faces, frames) in run.surfaces().items():
        cache = os.path.join(folder, f"{name}-blender.pc2")
        write_pc2(cache, frames)
        made.append(add_object(name, points, faces, cache))
    return made, len(run)


def import_run(folder):
    """Objects of all bodies; the scene's frames become those of the run."""
    for way in (from_caches, from_glb, from_recording):
        made, frames = way(folder)
        if made:
            bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, max(frames, 1)
            return made
    raise RuntimeError(f"{folder} holds nothing to show; is it a folder of pliant run?")


def main(words):
    if not 1 <= len(words) <= 2:
        sys.exit("usage: blender --python blender.py -- FOLDER [FILE.blend]")
    if "Cube" in bpy.data.objects:  # of the start-up scene
        bpy.data.objects.remove(bpy.data.objects["Cube"])
    for each in import_run(words[0]):
        print(f"pliant: {each.name}")
    if len(words) == 2:
        bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath(words[1]))


if __name__ == "__main__":
    main(sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else [])
