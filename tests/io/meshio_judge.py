"""Compares our readers and writers with meshio. Arguments: convert program, data folder, scratch."""
import base64
import itertools
import subprocess
import sys
import warnings
import zlib

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
    "inp": {},
    "mesh": {},
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
            if extension == "inp":
                check(sorted(mesh.point_sets["bottom"].tolist()) == sets["nodes", "bottom"]
                      if "bottom" in mesh.point_sets else cells.shape[1] == 8, f"sets of {path}")
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
    "abaqus.inp": dict(file_format="abaqus"),
    "medit.mesh": dict(file_format="medit"),
    "vtk42a.vtk": dict(file_format="vtk42", binary=False),
    "vtk42b.vtk": dict(file_format="vtk42", binary=True),
    "vtk51a.vtk": dict(file_format="vtk51", binary=False),
    "vtk51b.vtk": dict(file_format="vtk51", binary=True),
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
        exact = name not in ("ascii.vtu", "abaqus.inp")  # meshio prints 11 digits there, 16 here
        check(np.allclose(back_points, points, atol=0 if exact else 1e-9, rtol=0), f"points of {path}")
        check(np.array_equal(back_cells, cells), f"cells of {path}")

# surfaces, both ways; meshio keeps every corner of an STL apart, and so does the comparison
run(f"{data}/box41b.msh", f"{scratch}/box.off")
box = meshio.read(f"{scratch}/box.off")


def volume(points, triangles):
    a, b, c = (points[triangles[:, k]] for k in range(3))
    return np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6


for extension in ["off", "obj", "ply", "stl"]:
    path = f"{scratch}/surface.{extension}"
    run(f"{data}/box41b.msh", path)
    mesh = meshio.read(path)
    triangles = mesh.cells_dict["triangle"]
    check(len(triangles) == 84, f"triangles of {path}")
    check(abs(volume(mesh.points, triangles) - 1) < 1e-6, f"volume of {path}")
    if extension != "stl":
        check(np.allclose(mesh.points, box.points, atol=1e-7, rtol=0), f"points of {path}")
    path = f"{scratch}/theirs.{extension}"
    meshio.write(path, meshio.Mesh(box.points, [("triangle", box.cells_dict["triangle"])]))
    run(path, f"{scratch}/again.off")
    again = meshio.read(f"{scratch}/again.off")
    check(len(again.points) == len(box.points), f"points from {path}")
    check(abs(volume(again.points, again.cells_dict["triangle"]) - 1) < 1e-6, f"volume from {path}")


# .vtu files in every combination of encoding, compression and size of the headers
def vtu_array(values, place, compressed, header, appended, blocks=3):
    """The bytes of one array, as they stand in the file."""
    raw = values.tobytes()
    if not compressed:
        head, body = np.array([len(raw)], header).tobytes(), raw
        return head + body if place == "raw" else base64.b64encode(head + body)
    each = len(raw) // blocks + 1
    parts = [zlib.compress(raw[i : i + each]) for i in range(0, len(raw), each)]
    rest = len(raw) % each
    head = np.array([len(parts), each, rest, *map(len, parts)], header).tobytes()
    body = b"".join(parts)
    return head + body if place == "raw" else base64.b64encode(head) + base64.b64encode(body)


def write_vtu(path, points, cells, place, compressed, header):
    arrays = [("Points", "Float64", points, 3), ("connectivity", "Int64", cells.ravel(), 1),
              ("offsets", "Int64", np.arange(1, len(cells) + 1) * cells.shape[1], 1),
              ("types", "UInt8", np.full(len(cells), 10 if cells.shape[1] == 4 else 12), 1)]
    kinds = {"Float64": np.float64, "Int64": np.int64, "UInt8": np.uint8}
    behind, texts = b"", []
    for name, kind, values, width in arrays:
        values = np.ascontiguousarray(values, kinds[kind])
        head = f'<DataArray type="{kind}" Name="{name}" NumberOfComponents="{width}"'
        if place == "ascii":
            inner = " ".join(repr(v) for v in values.ravel().tolist())
            texts.append(f'{head} format="ascii">{inner}</DataArray>'.encode())
        elif place == "inline":
            inner = vtu_array(values, place, compressed, header, False)
            texts.append(f'{head} format="binary">'.encode() + inner + b"</DataArray>")
        else:
            texts.append(f'{head} format="appended" offset="{len(behind)}"/>'.encode())
            behind += vtu_array(values, place, compressed, header, True)
    extra = ' compressor="vtkZLibDataCompressor"' if compressed else ""
    kind = "UInt32" if header == np.uint32 else "UInt64"
    with open(path, "wb") as file:
        file.write(f'<?xml version="1.0"?><VTKFile type="UnstructuredGrid" version="1.0" '
                   f'byte_order="LittleEndian" header_type="{kind}"{extra}><UnstructuredGrid>'
                   f'<Piece NumberOfPoints="{len(points)}" NumberOfCells="{len(cells)}"><Points>'
                   .encode() + texts[0] + b"</Points><Cells>" + b"".join(texts[1:]) +
                   b"</Cells></Piece></UnstructuredGrid>")
        if behind:
            encoding = "raw" if place == "raw" else "base64"
            file.write(f'<AppendedData encoding="{encoding}">_'.encode() + behind +
                       b"</AppendedData>")
        file.write(b"</VTKFile>")


count = 0
for source in ["box41b.msh", "hex41o2.msh"]:
    points, cells, _ = ours(f"{data}/{source}")
    for place, compressed, header in itertools.product(
            ["ascii", "inline", "base64", "raw"], [False, True], [np.uint32, np.uint64]):
        path = f"{scratch}/{place}-{compressed}-{header.__name__}.vtu"
        write_vtu(path, points, cells, place, compressed, header)
        back_points, back_cells, _ = ours(path)
        check(np.array_equal(back_points, points), f"points of {path}")
        check(np.array_equal(back_cells, cells), f"cells of {path}")
        count += 1
print(count, "variants of .vtu")

print("meshio", meshio.__version__, "agrees" if not failures else f"{failures} differences")
sys.exit(failures != 0)
