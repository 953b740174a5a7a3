"""Compares our readers and writers with meshio. Arguments: convert program, data folder, scratch."""
import itertools
import subprocess
import sys
import warnings

import meshio
import numpy as np

warnings.filterwarnings("ignore")
convert, data, scratch = sys.argv[1:]
failures = 0


def check(condition, what):
    global failures
    if not condition:
        print("FAILED", what)
        failures += 1


def run(*words):
    return subprocess.run([convert, *words], check=True, capture_output=True, text=True).stdout


def ours(path):
    """Nodes, elements and sets as we read them."""
    lines = run(path).splitlines()
    nodes, cells, corners, sets = map(int, lines[0].split())
    points = np.array([line.split() for line in lines[1 : 1 + nodes]], dtype=float)
    cells = np.array([line.split() for line in lines[1 + nodes : 1 + nodes + cells]], dtype=int)
    named = {}
    for line in lines[-sets:] if sets else []:
        words = line.split()
        named[words[0], words[1]] = sorted(map(int, words[2:]))
    return points, cells, named


def volume_cells(mesh):
    found = [block.data for block in mesh.cells if block.type in ("tetra", "hexahedron")]
    return np.concatenate(found)


def flagged(arrays, name):
    return sorted(np.nonzero(arrays["set:" + name])[0].tolist())


variants = {
    "msh": {"version": ["4.1", "2.2"], "encoding": ["ascii", "binary"]},
    "vtk": {"encoding": ["ascii", "binary"]},
    "vtu": {"encoding": ["base64", "raw", "ascii"]},
    "node": {},
}

# what we write
for source in ["box41b.msh", "hex41o2.msh"]:
    points, cells, sets = ours(f"{data}/{source}")
    for extension, options in variants.items():
        if extension == "node" and cells.shape[1] == 8:
            continue
        for words in itertools.product(*options.values()):
            path = f"{scratch}/ours-{source[:3]}-{'-'.join(words)}.{extension}"
            run(f"{data}/{source}", path, *[f"{k}={w}" for k, w in zip(options, words)])
            mesh = meshio.read(path)
            check(np.array_equal(mesh.points, points), f"points of {path}")
            check(np.array_equal(volume_cells(mesh), cells), f"cells of {path}")
            if extension in ("vtk", "vtu"):
                for (kind, name), ids in sets.items():
                    arrays = mesh.point_data
                    if kind == "elements":
                        arrays = {k: np.concatenate(v) for k, v in mesh.cell_data.items()}
                    arrays = {k: np.ravel(v) for k, v in arrays.items()}
                    check(flagged(arrays, name) == ids, f"set {name} of {path}")
            if extension == "msh":
                check("body" in mesh.field_data, f"groups of {path}")

# what meshio writes
formats = {
    "gmsh41a.msh": dict(file_format="gmsh", binary=False),
    "gmsh41b.msh": dict(file_format="gmsh", binary=True),
    "gmsh22a.msh": dict(file_format="gmsh22", binary=False),
    "gmsh22b.msh": dict(file_format="gmsh22", binary=True),
    "vtka.vtk": dict(binary=False),
    "vtkb.vtk": dict(binary=True),
    "zlib.vtu": dict(compression="zlib"),
    "plain.vtu": dict(compression=None),
    "ascii.vtu": dict(binary=False),
    "tetgen.node": dict(),
}
random = np.random.default_rng(1)
for source, kind in [("box41b.msh", "tetra"), ("hex41o2.msh", "hexahedron")]:
    points, cells, _ = ours(f"{data}/{source}")
    points = points + 1e-3 * random.random(points.shape)
    inside = {"mark": [random.random(len(cells))]}
    mesh = meshio.Mesh(points, [(kind, cells)], {"value": random.random(len(points))}, inside)
    bare = meshio.Mesh(points, [(kind, cells)])
    for name, options in formats.items():
        if name == "tetgen.node" and kind == "hexahedron":
            continue
        path = f"{scratch}/theirs-{kind}-{name}"
        meshio.write(path, mesh if name.startswith("v") else bare, **options)
        back_points, back_cells, _ = ours(path)
        exact = name != "ascii.vtu"  # meshio prints 11 digits there
        check(np.allclose(back_points, points, atol=0 if exact else 1e-9, rtol=0), f"points of {path}")
        check(np.array_equal(back_cells, cells), f"cells of {path}")

print("meshio", meshio.__version__, "agrees" if not failures else f"{failures} differences")
sys.exit(failures != 0)
