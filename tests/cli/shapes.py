#!/usr/bin/env python3
"""Surfaces like those that people try first: shapes.py FOLDER writes one file of each kind.

They stand in for models that cannot be shipped: a teapot of open patches with a thin handle, a hare
with thin ears, sunglasses, a rocker arm, a scan of 70 000 triangles, 427 pieces, an inside-out ball,
exporters' dialects of GLB and PLY, and files in which something is wrong."""
import json
import math
import os
import struct
import sys
import zlib

TURN = 2 * math.pi


class Surface:
    """Points and polygons; parts are added one behind the other, welded or not."""

    def __init__(self):
        self.points, self.faces = [], []

    def add(self, points, faces):
        start = len(self.points)
        self.points += points
        self.faces += [tuple(start + i for i in face) for face in faces]
        return self

    def merge(self, other):
        return self.add(other.points, other.faces)

    def triangles(self):
        return [(f[0], f[i], f[i + 1]) for f in self.faces for i in range(1, len(f) - 1)]

    def moved(self, scale=(1, 1, 1), by=(0, 0, 0)):
        moved = Surface()
        moved.points = [tuple(scale[k] * p[k] + by[k] for k in range(3)) for p in self.points]
        moved.faces = list(self.faces)
        return moved

    def reversed(self):
        back = Surface()
        back.points, back.faces = self.points, [tuple(reversed(f)) for f in self.faces]
        return back


def grid(rows, columns, place, wraps_rows=False, wraps_columns=True):
    """Quadrilaterals over a grid of place(row, column)."""
    surface = Surface()
    surface.points = [place(i, j) for i in range(rows) for j in range(columns)]
    for i in range(rows if wraps_rows else rows - 1):
        for j in range(columns if wraps_columns else columns - 1):
            a, b = i * columns + j, i * columns + (j + 1) % columns
            c, d = (i + 1) % rows * columns + (j + 1) % columns, (i + 1) % rows * columns + j
            surface.faces.append((a, b, c, d))
    return surface


def ball(rows=12, columns=24, radius=lambda up, around: 1.0):
    """A closed ball: rings between two poles."""
    def place(i, j):
        up, around = math.pi * (i + 1) / (rows + 1), TURN * j / columns
        r = radius(up, around)
        return (r * math.sin(up) * math.cos(around), r * math.sin(up) * math.sin(around),
                -r * math.cos(up))
    surface = grid(rows, columns, place)
    south, north = len(surface.points), len(surface.points) + 1
    surface.points += [(0, 0, -radius(0, 0)), (0, 0, radius(math.pi, 0))]
    last = (rows - 1) * columns
    for j in range(columns):
        k = (j + 1) % columns
        surface.faces += [(south, k, j), (north, last + j, last + k)]
    return surface


def sweep(path, radius, columns=12, caps=True):
    """A tube along a path of points; radius is a number or a function of 0..1."""
    count = len(path)
    sides = []
    for i in range(count):
        a, b = path[max(i - 1, 0)], path[min(i + 1, count - 1)]
        t = [b[k] - a[k] for k in range(3)]
        length = math.sqrt(sum(x * x for x in t))
        t = [x / length for x in t]
        least = min(range(3), key=lambda k: abs(t[k]))
        e = [float(k == least) for k in range(3)]
        u = [t[1] * e[2] - t[2] * e[1], t[2] * e[0] - t[0] * e[2], t[0] * e[1] - t[1] * e[0]]
        if sides:  # as little turned as possible
            u = [sides[-1][0][k] - sum(sides[-1][0][m] * t[m] for m in range(3)) * t[k] for k in range(3)]
        length = math.sqrt(sum(x * x for x in u))
        u = [x / length for x in u]
        v = [t[1] * u[2] - t[2] * u[1], t[2] * u[0] - t[0] * u[2], t[0] * u[1] - t[1] * u[0]]
        sides.append((u, v))

    def place(i, j):
        u, v = sides[i]
        r = radius(i / (count - 1)) if callable(radius) else radius
        c, s = r * math.cos(TURN * j / columns), r * math.sin(TURN * j / columns)
        return tuple(path[i][k] + c * u[k] + s * v[k] for k in range(3))
    surface = grid(count, columns, place)
    if caps:
        last = (count - 1) * columns
        surface.faces.append(tuple(reversed(range(columns))))
        surface.faces.append(tuple(range(last, last + columns)))
    return surface


def box(low=(0, 0, 0), high=(1, 1, 1)):
    surface = Surface()
    surface.points = [tuple(high[k] if n >> k & 1 else low[k] for k in range(3)) for n in range(8)]
    surface.faces = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    return surface


def torus(R=1.0, r=0.4, rows=24, columns=12):
    return grid(rows, columns, lambda i, j: (
        (R + r * math.cos(TURN * j / columns)) * math.cos(TURN * i / rows),
        (R + r * math.cos(TURN * j / columns)) * math.sin(TURN * i / rows),
        r * math.sin(TURN * j / columns)), wraps_rows=True).reversed()


def arc(count, place):
    return [place(i / (count - 1)) for i in range(count)]


def teapot():
    """Open patches that cut each other, as in the original: bowl, lid, thin handle, spout."""
    bowl = grid(14, 32, lambda i, j: tuple(
        f * (0.25 + 0.75 * math.sin(0.35 + 2.2 * i / 13)) for f in
        (math.cos(TURN * j / 32), math.sin(TURN * j / 32))) + (1.1 * i / 13,))
    lid = grid(8, 32, lambda i, j: tuple(
        f * (0.72 * (1 - i / 7) + 0.02) for f in (math.cos(TURN * j / 32), math.sin(TURN * j / 32))
    ) + (1.1 + 0.25 * math.sin(1.4 * i / 7),))
    handle = sweep(arc(17, lambda s: (-0.8 - 0.55 * math.sin(math.pi * s), 0, 0.3 + 0.65 * s)), 0.05, caps=False)
    spout = sweep(arc(9, lambda s: (0.8 + 0.7 * s, 0, 0.35 + 0.7 * s * s)), lambda s: 0.2 - 0.1 * s, caps=False)
    pot = Surface()
    for part in (bowl, lid, handle, spout):
        pot.merge(part)
    return pot


def hare():
    """A body and a head, and ears as thin as leaves."""
    animal = ball(14, 28).moved((0.7, 1, 0.8))
    animal.merge(ball(12, 24).moved((0.42, 0.42, 0.4), (0, -0.95, 0.65)))
    for side in (-1, 1):
        animal.merge(ball(12, 24).moved((0.11, 0.03, 0.5), (0.16 * side, -0.9, 1.4)))
        animal.merge(sweep([(0.3 * side, -0.5, -0.6), (0.3 * side, -0.55, -0.8), (0.32 * side, -0.7, -0.95)],
                           0.1))
    return animal


def cow():
    """A trunk on thin legs that end in small hooves."""
    animal = ball(14, 28).moved((1, 0.45, 0.5))
    for x in (-0.6, 0.6):
        for y in (-0.22, 0.22):
            animal.merge(sweep([(x, y, -0.2), (x, y, -0.8), (x, y, -1.1)], lambda s: 0.1 - 0.05 * s, 10))
            animal.merge(ball(6, 10).moved((0.07, 0.06, 0.05), (x + 0.02, y, -1.12)))
    return animal.merge(sweep([(-0.95, 0, 0.1), (-1.15, 0, -0.1), (-1.2, 0, -0.6)], 0.02, 8))


def sunglasses():
    glasses = Surface()
    for side in (-1, 1):
        glasses.merge(torus(0.3, 0.015, 40, 10).moved(by=(0.36 * side, 0, 0)))
        glasses.merge(ball(8, 24).moved((0.3, 0.3, 0.008), (0.36 * side, 0, 0)))
        glasses.merge(sweep(arc(12, lambda s: (0.66 * side, 0.1 - 0.1 * s ** 3, -1.3 * s)), 0.012, 8))
    return glasses.merge(sweep(arc(7, lambda s: (0.12 * s - 0.06, 0.05 * math.sin(math.pi * s), 0)), 0.015, 8))


def scan():
    """69 432 triangles with ripples, as a scanner leaves them."""
    return ball(131, 263, lambda up, around: 1 + 0.15 * math.sin(up) ** 2 * math.sin(3 * up) * math.cos(2 * around) +
                0.003 * math.sin(97 * up) * math.sin(up) ** 3 * math.sin(61 * around))


def pieces(count=427):
    """So many blocks that do not touch."""
    many = Surface()
    for n in range(count):
        x, y, z = n % 8, n // 8 % 8, n // 64
        many.merge(box((x, y, z), (x + 0.7, y + 0.7, z + 0.7)))
    return many


def rocker():
    """A bar with a hub at each end, one of them with a hole: one closed surface of genus one."""
    arm = torus(0.5, 0.22, 36, 16)
    arm.merge(sweep(arc(9, lambda s: (0.55 + 1.3 * s, 0, 0.2 * math.sin(math.pi * s))), lambda s: 0.2 - 0.05 * s, 16))
    return arm.merge(ball(12, 20).moved((0.3, 0.3, 0.4), (1.95, 0, 0)))


def moebius():
    surface = Surface()
    n = 60
    for i in range(n):
        a = TURN * i / n
        for w in (-0.3, 0.3):
            r = 1 + w * math.cos(a / 2)
            surface.points.append((r * math.cos(a), r * math.sin(a), w * math.sin(a / 2)))
    for i in range(n):
        a, b = 2 * i, 2 * i + 1
        c, d = ((2 * i + 3, 2 * i + 2) if i + 1 < n else (0, 1))
        surface.faces.append((a, b, c, d))
    return surface


# ---- files ----

def write_obj(path, surface, lines=()):
    with open(path, "w") as file:
        for p in surface.points:
            file.write("v %.9g %.9g %.9g\n" % p)
        file.writelines(line + "\n" for line in lines)
        for face in surface.faces:
            file.write("f " + " ".join(str(i + 1) for i in face) + "\n")


def write_stl(path, surface, binary):
    triangles = [[surface.points[i] for i in t] for t in surface.triangles()]
    with open(path, "wb") as file:
        if binary:
            file.write(b"\0" * 80 + struct.pack("<I", len(triangles)))
            for t in triangles:
                file.write(struct.pack("<12fH", 0, 0, 0, *(x for p in t for x in p), 0))
            return
        file.write(b"solid shape\n")
        for t in triangles:
            file.write(b"facet normal 0 0 0\nouter loop\n")
            for p in t:
                file.write(b"vertex %.9g %.9g %.9g\n" % p)
            file.write(b"endloop\nendfacet\n")
        file.write(b"endsolid shape\n")


def write_ply(path, surface, big_endian=False):
    """Binary, with colours and confidences that nobody needs."""
    order = ">" if big_endian else "<"
    with open(path, "wb") as file:
        file.write(("ply\nformat binary_%s_endian 1.0\ncomment made here\nelement vertex %d\n"
                    "property float x\nproperty float y\nproperty float z\nproperty uchar red\n"
                    "property float confidence\nelement face %d\nproperty list uchar int vertex_indices\n"
                    "end_header\n" % ("big" if big_endian else "little", len(surface.points), len(surface.faces))).encode())
        for p in surface.points:
            file.write(struct.pack(order + "3fBf", *p, 200, 0.5))
        for f in surface.faces:
            file.write(struct.pack("%sB%di" % (order, len(f)), len(f), *f))


def write_strips(path, rows=16, columns=24):
    """A ball in PLY triangle strips, as in the Stanford archive, with -1 between them."""
    surface = ball(rows, columns)
    south, north = rows * columns, rows * columns + 1
    strips = []
    for i in range(rows - 1):
        for j in range(columns + 1):
            strips += [(i + 1) * columns + j % columns, i * columns + j % columns]
        strips.append(-1)
    for j in range(columns):
        k = (j + 1) % columns
        strips += [south, k, j, -1, north, (rows - 1) * columns + j, (rows - 1) * columns + k, -1]
    with open(path, "w") as file:
        file.write("ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\nproperty float y\n"
                   "property float z\nelement tristrips 1\nproperty list int int vertex_indices\nend_header\n"
                   % len(surface.points))
        for p in surface.points:
            file.write("%.7g %.7g %.7g\n" % p)
        file.write("%d %s\n" % (len(strips), " ".join(map(str, strips))))


def write_off(path, surface):
    with open(path, "w") as file:
        file.write("OFF\n%d %d 0\n" % (len(surface.points), len(surface.faces)))
        for p in surface.points:
            file.write("%.9g %.9g %.9g\n" % p)
        for f in surface.faces:
            file.write("%d %s\n" % (len(f), " ".join(map(str, f))))


def picture(size=8):
    """A checkerboard as PNG."""
    rows = b"".join(b"\0" + b"".join(bytes((230, 80, 40) if (x + y) % 2 else (40, 90, 200)) for x in range(size))
                    for y in range(size))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def write_glb(path, surface, textured=False, change=None):
    """Triangles below a node that turns and scales them; change(json) adds what exporters add."""
    triangles = surface.triangles()
    blocks = [struct.pack("<%dI" % (3 * len(triangles)), *(i for t in triangles for i in t)),
              b"".join(struct.pack("<3f", *p) for p in surface.points)]
    low = [min(p[k] for p in surface.points) for k in range(3)]
    high = [max(p[k] for p in surface.points) for k in range(3)]
    data = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"children": [1], "scale": [2, 2, 2]},
                  {"mesh": 0, "rotation": [0, math.sqrt(0.5), 0, math.sqrt(0.5)]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 1}, "indices": 0, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [1, 1, 1, 1]}}],
        "accessors": [
            {"bufferView": 0, "componentType": 5125, "count": 3 * len(triangles), "type": "SCALAR"},
            {"bufferView": 1, "componentType": 5126, "count": len(surface.points), "type": "VEC3",
             "min": low, "max": high}]}
    if textured:
        blocks += [b"".join(struct.pack("<2f", 0.5 + math.atan2(p[1], p[0]) / TURN,
                                        (p[2] - low[2]) / (high[2] - low[2])) for p in surface.points), picture()]
        data["accessors"].append({"bufferView": 2, "componentType": 5126, "count": len(surface.points), "type": "VEC2"})
        data["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_0"] = 2
        data["images"] = [{"bufferView": 3, "mimeType": "image/png"}]
        data["samplers"] = [{}]
        data["textures"] = [{"source": 0, "sampler": 0}]
        data["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"] = {"index": 0}
    binary, views = b"", []
    for block in blocks:
        views.append({"buffer": 0, "byteOffset": len(binary), "byteLength": len(block)})
        binary += block + b"\0" * (-len(block) % 4)
    data["bufferViews"], data["buffers"] = views, [{"byteLength": len(binary)}]
    if change:
        change(data)
    text = json.dumps(data).encode()
    text += b" " * (-len(text) % 4)
    with open(path, "wb") as file:
        file.write(struct.pack("<III", 0x46546C67, 2, 28 + len(text) + len(binary)))
        file.write(struct.pack("<II", len(text), 0x4E4F534A) + text)
        file.write(struct.pack("<II", len(binary), 0x004E4942) + binary)


def add_looks(data):
    """Extensions that concern looks only; some are required."""
    data["extensionsUsed"] = ["KHR_texture_transform", "KHR_materials_clearcoat", "KHR_materials_unlit",
                              "KHR_lights_punctual", "EXT_texture_webp"]
    data["extensionsRequired"] = ["KHR_texture_transform", "KHR_materials_unlit"]
    data["materials"][0]["extensions"] = {"KHR_materials_unlit": {}, "KHR_materials_clearcoat": {"clearcoatFactor": 1}}
    data["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]["extensions"] = {
        "KHR_texture_transform": {"scale": [2, 2]}}
    data["extensions"] = {"KHR_lights_punctual": {"lights": [{"type": "point"}]}}


def add_packing(data):
    data["extensionsUsed"] = data["extensionsRequired"] = ["KHR_draco_mesh_compression"]


def write_all(folder):
    os.makedirs(folder, exist_ok=True)

    def at(name):
        return os.path.join(folder, name)
    plain = ball(10, 20)
    # that run
    write_obj(at("torus.obj"), torus())
    write_obj(at("rocker.obj"), rocker())
    write_obj(at("teapot.obj"), teapot())
    write_ply(at("hare.ply"), hare())
    write_obj(at("cow.obj"), cow())
    write_stl(at("sunglasses.stl"), sunglasses(), True)
    write_ply(at("scan.ply"), scan(), True)
    write_off(at("pieces.off"), pieces())
    write_stl(at("inside-out.stl"), plain.reversed(), False)
    half = Surface()
    half.points = plain.points
    half.faces = [tuple(reversed(f)) if i % 2 else f for i, f in enumerate(plain.faces)]
    write_off(at("half-turned.off"), half)
    lid = Surface()
    lid.points, lid.faces = plain.points, plain.faces[:-9]
    write_obj(at("small-holes.obj"), lid)
    write_obj(at("hollow.obj"), ball(16, 32).merge(ball(16, 32).moved((0.6, 0.6, 0.6)).reversed()))
    write_obj(at("crossing.obj"), torus().merge(torus().moved(by=(0.9, 0.1, 0.1))))
    write_obj(at("edge-shared.obj"), box().merge(box((1, 1, 0), (2, 2, 1))))
    write_obj(at("millimetres.obj"), torus().moved((1000, 1000, 1000)))
    write_obj(at("micrometres.obj"), torus().moved((1e-6, 1e-6, 1e-6)))
    write_obj(at("far-away.obj"), torus().moved(by=(1e5, -2e5, 3e4)))
    write_obj(at("polygons.obj"), sweep([(0, 0, 0), (0, 0, 1)], lambda s: 1, 31), ["vn 0 0 1", "vt 0 0", "g part one", "usemtl red", "s 1"])
    write_strips(at("strips.ply"))
    write_glb(at("plain.glb"), torus())
    write_glb(at("textured.glb"), ball(16, 32), True)
    write_glb(at("looks.glb"), torus(), True, add_looks)
    # that cannot
    bowl = Surface()
    bowl.points, bowl.faces = plain.points, [f for f in plain.faces if all(plain.points[i][2] < 0.2 for i in f)]
    write_obj(at("bowl.obj"), bowl)
    write_obj(at("flat.obj"), grid(30, 30, lambda i, j: (i / 29, j / 29, 0), wraps_columns=False))
    write_obj(at("tilted.obj"), grid(30, 30, lambda i, j: (i / 29, j / 29, 0.3 * i / 29 + 0.2 * j / 29), wraps_columns=False))
    write_obj(at("moebius.obj"), moebius())
    write_obj(at("lines.obj"), Surface().add([(0, 0, 0), (1, 0, 0), (0, 1, 0)], []), ["l 1 2 3"])
    write_obj(at("not-a-number.obj"), Surface().add([(0, 0, 0), (float("nan"), 0, 0), (0, 1, 0)], [(0, 1, 2)]))
    write_obj(at("out-of-range.obj"), Surface().add([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 7)]))
    open(at("empty.stl"), "w").close()
    write_glb(at("draco.glb"), torus(), False, add_packing)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: shapes.py FOLDER")
    write_all(sys.argv[1])
