#!/usr/bin/env python3
"""Static reference results from CalculiX, and the decks they come from.

    calculix.py list                 the cases by name
    calculix.py deck CASE            writes one input deck to the standard output
    calculix.py run [CASE...]        runs ccx on each case (all by default), prints tip ux uy
    calculix.py record [CASE...]     the same, and renews recorded.json and recorded.h beside it
    calculix.py timoshenko           what beam theory says of the small force

Needs Python 3 and, for run and record, CalculiX (Debian: calculix-ccx). README.md tells what the
cases are. Elements are split and numbered as by Pliant's box generator: six Kuhn tetrahedra per
cell around its diagonal from the low to the high corner, hexahedra in VTK's order.
"""
import itertools
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
YOUNG, POISSON, DENSITY, GRAVITY = 1e6, 0.3, 1000.0, 9.81

# a cell's corners in VTK's order, which is also CalculiX's
CORNERS = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
# the pairs of corners that have a node between them, in CalculiX's order
TET_EDGES = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]
HEX_EDGES = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4)]
HEX_EDGES += [(0, 4), (1, 5), (2, 6), (3, 7)]


class Case:
    """One bar of size (m) in cells, of one element type, under gravity or a force on its end."""

    def __init__(self, group, element, size, cells, nonlinear, gravity=0.0, force=0.0):
        self.element, self.size, self.cells = element, size, cells
        self.nonlinear, self.gravity, self.force = nonlinear, gravity, force
        strain = "green" if nonlinear else "linear"
        self.name = "%s-%s-%s-%d" % (group, strain, element.lower(), cells[1])


def all_cases():
    # the bar of the peers under its own weight
    bars = [("C3D4", 2), ("C3D8", 2), ("C3D4", 6), ("C3D8", 6), ("C3D10", 6), ("C3D20R", 6)]
    for element, n in bars:
        for nonlinear in (False, True):
            yield Case("bar", element, (1, 0.25, 0.25), (4 * n, n, n), nonlinear, gravity=GRAVITY)
    # a beam ten times as long as thick: a small force on its end, then one that bends it by half
    # its length
    beams = [("C3D10", (2, 4, 6)), ("C3D20", (2, 4, 6)), ("C3D8", (4, 8)), ("C3D4", (4,))]
    for element, counts in beams:
        for n in counts:
            yield Case("beam", element, (1, 0.1, 0.1), (10 * n, n, n), False, force=0.1)
            yield Case("beam", element, (1, 0.1, 0.1), (10 * n, n, n), True, force=17.0)


def kuhn_tetrahedra():
    """The six tetrahedra of a cell: walks along its edges from (0,0,0) to (1,1,1)."""
    for axes in itertools.permutations(range(3)):
        path = [(0, 0, 0)]
        for axis in axes:
            step = list(path[-1])
            step[axis] = 1
            path.append(tuple(step))
        # odd permutations are left-handed: exchange two corners
        odd = sum(axes[i] > axes[j] for i in range(3) for j in range(i + 1, 3)) % 2
        yield [path[0], path[2], path[1], path[3]] if odd else path


def build(case):
    """Nodes as {place: number}, elements as lists of numbers; a place counts half cells."""
    tets = case.element in ("C3D4", "C3D10")
    quadratic = case.element in ("C3D10", "C3D20", "C3D20R")
    shapes = list(kuhn_tetrahedra()) if tets else [CORNERS]
    edges = TET_EDGES if tets else HEX_EDGES
    numbers, elements = {}, []
    for cell in itertools.product(*(range(n) for n in case.cells)):
        for shape in shapes:
            places = [tuple(2 * (c + o) for c, o in zip(cell, corner)) for corner in shape]
            if quadratic:
                ends = [(places[i], places[j]) for i, j in edges]
                places += [tuple((a + b) // 2 for a, b in zip(*pair)) for pair in ends]
            elements.append([numbers.setdefault(place, len(numbers) + 1) for place in places])
    return numbers, elements


def end_forces(case, numbers):
    """The force in -y, spread evenly over the end face: {node: share}, by exact integration of the
    shape functions. A dead load: it keeps its direction."""
    _, ny, nz = case.cells
    end, shares = 2 * case.cells[0], {}

    def add(y, z, share):
        node = numbers[(end, y, z)]
        shares[node] = shares.get(node, 0.0) + share * case.force / (ny * nz)

    for j, k in itertools.product(range(ny), range(nz)):
        y, z = 2 * j, 2 * k
        square = [(y, z), (y + 2, z), (y + 2, z + 2), (y, z + 2)]
        middles = [(y + 1, z), (y + 2, z + 1), (y + 1, z + 2), (y, z + 1)]
        if case.element == "C3D8":
            for place in square:
                add(*place, 1 / 4)
        elif case.element in ("C3D20", "C3D20R"):
            for place in square:
                add(*place, -1 / 12)
            for place in middles:
                add(*place, 1 / 3)
        elif case.element == "C3D4":
            # two triangles that share the diagonal from the low to the high corner
            for place, share in zip(square, (1 / 3, 1 / 6, 1 / 3, 1 / 6)):
                add(*place, share)
        else:
            # six-node triangles carry everything on their edges
            for place in middles:
                add(*place, 1 / 6)
            add(y + 1, z + 1, 1 / 3)
    return shares


def wrapped(numbers, width=12):
    """Numbers in lines of at most 12, as the deck wants them: a comma continues a line."""
    lines = [numbers[i : i + width] for i in range(0, len(numbers), width)]
    return ",\n".join(", ".join(str(n) for n in line) for line in lines)


def deck(case):
    numbers, elements = build(case)
    place_of_tip = (2 * case.cells[0], case.cells[1], case.cells[2])
    if place_of_tip not in numbers:
        raise ValueError("%s has no node at the centre of its end: use even cells" % case.name)
    spacing = [size / (2 * n) for size, n in zip(case.size, case.cells)]
    lines = ["** " + case.name, "*NODE, NSET=ALL"]
    for place, number in numbers.items():
        coordinates = ["%.12g" % (p * h) for p, h in zip(place, spacing)]
        lines.append(", ".join([str(number)] + coordinates))
    lines.append("*ELEMENT, TYPE=%s, ELSET=BAR" % case.element)
    lines += [wrapped([i + 1] + nodes) for i, nodes in enumerate(elements)]
    lines.append("*NSET, NSET=ROOT")
    lines += ["%d," % number for place, number in numbers.items() if place[0] == 0]
    lines += ["*NSET, NSET=TIP", "%d," % numbers[place_of_tip]]
    lines += ["*MATERIAL, NAME=SOFT", "*ELASTIC", "%r, %r" % (YOUNG, POISSON)]
    lines += ["*DENSITY", repr(DENSITY)]
    lines += ["*SOLID SECTION, ELSET=BAR, MATERIAL=SOFT", "*BOUNDARY", "ROOT, 1, 3"]
    lines.append("*STEP, NLGEOM, INC=1000" if case.nonlinear else "*STEP")
    if case.nonlinear:
        # the usual stopping rule leaves only four right digits: residual and correction to 1e-9
        lines += ["*CONTROLS, PARAMETERS=FIELD", "1e-9, 1e-9"]
    lines += ["*STATIC", "0.1, 1." if case.nonlinear else "1., 1."]
    if case.gravity:
        lines += ["*DLOAD", "BAR, GRAV, %r, 0., -1., 0." % case.gravity]
    if case.force:
        lines.append("*CLOAD")
        lines += ["%d, 2, %r" % (node, -share) for node, share in end_forces(case, numbers).items()]
    lines += ["*NODE PRINT, NSET=TIP", "U", "*END STEP", ""]
    return "\n".join(lines)


def last_row(name, text):
    """The last line that CalculiX prints for a deck: a node and its displacement in m."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "case.inp"), "w") as file:
            file.write(text)
        result = subprocess.run(["ccx", "case"], cwd=folder, capture_output=True, text=True)
        if result.returncode != 0:
            raise RuntimeError("%s: ccx failed:\n%s" % (name, result.stdout[-2000:]))
        # an increment that stops early still prints a last line: believe only the full load
        with open(os.path.join(folder, "case.sta")) as file:
            total_time = float(file.read().split("\n")[-2].split()[4])
        if abs(total_time - 1) > 1e-9:
            raise RuntimeError("%s: stopped at time %g of 1" % (name, total_time))
        with open(os.path.join(folder, "case.dat")) as file:
            last = [line.split() for line in file if line.strip()][-1]
        # what is zero up to rounding differs from run to run
        return tuple(float(word) if abs(float(word)) > 1e-12 else 0.0 for word in last)


def run(case):
    """The tip's displacement ux, uy in m, as CalculiX prints it."""
    return last_row(case.name, deck(case))[1:3]


def version():
    words = subprocess.run(["ccx", "-v"], capture_output=True, text=True).stdout.split()
    return "CalculiX " + words[-1]


def timoshenko(case):
    """Tip deflection of a clamped beam with shear, m: P L^3 / 3 E I + P L / k G A, with
    k = 10 (1 + nu) / (12 + 11 nu) for a rectangle (Cowper 1966)."""
    length, height, width = case.size
    inertia, area, shear = width * height**3 / 12, width * height, YOUNG / (2 * (1 + POISSON))
    k = 10 * (1 + POISSON) / (12 + 11 * POISSON)
    return case.force * length**3 / (3 * YOUNG * inertia) + case.force * length / (k * shear * area)


def renew(path, cases, all_of, value_of):
    """Renews these cases in a record, which has those of all_of in their order, and returns it."""
    known = {}
    if os.path.exists(path):
        with open(path) as file:
            known = json.load(file)["cases"]
    for case in cases:
        known[case.name] = value_of(case)
    known = {case.name: known[case.name] for case in all_of() if case.name in known}
    with open(path, "w") as file:
        rows = ["    %s: %s" % (json.dumps(name), json.dumps(row)) for name, row in known.items()]
        file.write('{\n  "program": %s,\n  "cases": {\n' % json.dumps(version()))
        file.write(",\n".join(rows) + "\n  }\n}\n")
    return known


def record(cases):
    """Renews these cases in recorded.json and writes the whole record as a table for the C test."""
    known = renew(os.path.join(HERE, "recorded.json"), cases, all_cases, measure)
    with open(os.path.join(HERE, "recorded.h"), "w") as file:
        file.write("/* Tip displacements in m from %s; written by calculix.py. */\n" % version())
        file.write("static const struct {\n  const char *name;\n  double ux, uy;\n")
        file.write("} recorded[] = {\n")
        for name, row in known.items():
            file.write('    {"%s", %r, %r},\n' % (name, row["ux"], row["uy"]))
        file.write("};\n")


def measure(case):
    ux, uy = run(case)
    print("%-24s ux %13.6e  uy %13.6e" % (case.name, ux, uy), flush=True)
    return {"ux": ux, "uy": uy}


def command(words, program, text, all_of, write, show, keep):
    """list, deck, run, record: what to do with cases, of which all_of makes all."""
    cases = {case.name: case for case in all_of()}
    unknown = [name for name in words[1:] if name not in cases]
    if unknown:
        return "%s: no case named %s; see %s list" % (program, unknown[0], program)
    chosen = [cases[name] for name in words[1:]] or list(cases.values())
    if words[:1] == ["list"]:
        print("\n".join(cases))
    elif words[:1] == ["deck"] and len(words) == 2:
        sys.stdout.write(write(chosen[0]))
    elif words[:1] == ["run"]:
        for case in chosen:
            show(case)
    elif words[:1] == ["record"]:
        keep(chosen)
    else:
        return text.strip()
    return 0


def main(words):
    if words == ["timoshenko"]:
        cases = {case.name: case for case in all_cases()}
        print("uy %.6e" % -timoshenko(cases["beam-linear-c3d20-2"]))
        return 0
    return command(words, "calculix.py", __doc__, all_cases, deck, measure, record)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
