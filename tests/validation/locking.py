#!/usr/bin/env python3
"""Nearly incompressible bodies in CalculiX: Cook's membrane, a bar, a block, a cube.

    locking.py list                 the cases by name
    locking.py deck CASE            writes one input deck to the standard output
    locking.py run [CASE...]        runs ccx on each case (all by default), prints the displacement
    locking.py record [CASE...]     the same, and renews locking.json and locking.h beside it

Needs what calculix.py needs. The four problems are those of scenes/locking-*.xml; README.md tells
about them. All have the law W = c10 (Ib1 - 3) + K/2 (J - 1)^2, dead loads, and one displacement as
the result. Quadratic elements have half the cells of linear ones, so that all elements of a level
have the nodes of the same grid.
"""
import itertools
import os
import sys

import calculix

HERE = os.path.dirname(os.path.abspath(__file__))
QUADRATIC = ("C3D10", "C3D20R")


class Problem:
    """size: of the box of a grid (cells at level 1, linear elements). shape: where a place of the
    box is (NULL: there). held: planes (axis, end, directions); gravity, or a traction on the part
    of a face (axis, end) that lies within reach (per other axis, as a part of the size). tip: as
    parts of the size; the result is its displacement along direction 1, 2 or 3."""

    def __init__(self, young, size, cells, held, tip, direction, **more):
        self.young, self.size, self.cells, self.held = young, size, cells, held
        self.tip, self.direction = tip, direction
        self.gravity, self.face = more.get("gravity"), more.get("face")
        self.traction, self.reach = more.get("traction"), more.get("reach", 1.0)
        self.shape = more.get("shape", lambda x, y, z: (x, y, z))


def cook_shape(x, y, z):
    """The panel with corners (0,0) (48,44) (48,60) (0,44)."""
    low, high = 44 * x / 48, 44 + 16 * x / 48
    return x, low + (high - low) * y / 44, z


PROBLEMS = {
    "cook": Problem(240.565, (48, 44, 10), (8, 8, 2), [(0, 0, "123")], (1, 1, 0), 2,
                    face=(0, 1), traction=6.25, shape=cook_shape),
    "bar": Problem(8970.297, (0.3, 0.1, 0.1), (12, 4, 4), [(0, 0, "123")], (1, 0, 1), 3,
                   gravity=1000.0),
    "block": Problem(240.565, (10, 10, 10), (4, 4, 4),
                     [(0, 0, "1"), (1, 0, "2"), (2, 0, "3"), (2, 1, "12")], (0, 0, 1), 3,
                     face=(2, 1), traction=-160.0, reach=0.5),
    "cube": Problem(2500.0, (0.1, 0.1, 0.1), (4, 4, 4), [(2, 1, "123")], (0, 0, 0), 3,
                    gravity=10000.0),
}


class Case:
    """One problem with Poisson's ratio, CalculiX's element and the level of its grid."""

    def __init__(self, problem, poisson, element, level):
        self.problem, self.poisson, self.element = PROBLEMS[problem], poisson, element
        half = 2 if element in QUADRATIC else 1
        self.cells = tuple(level * n // half for n in self.problem.cells)
        self.name = "%s-%g-%s-%d" % (problem, poisson, element.lower(), level)


def all_cases():
    for problem in PROBLEMS:
        for poisson in (0.3, 0.49):
            for element in ("C3D10", "C3D8", "C3D20R"):
                yield Case(problem, poisson, element, 1)
            yield Case(problem, poisson, "C3D20R", 2)


def place_in_space(case, place):
    problem = case.problem
    box = [s * p / (2 * n) for s, p, n in zip(problem.size, place, case.cells)]
    return problem.shape(*box)


def face_shares(case, numbers):
    """The traction's force per node, by exact integration over the faces of the elements. Faces
    that carry it are rectangles."""
    axis, end = case.problem.face
    b, c = [i for i in range(3) if i != axis]
    reach = [round(case.problem.reach * n) for n in case.cells]
    shares = {}

    def add(u, v, share):
        place = [0, 0, 0]
        place[axis], place[b], place[c] = 2 * case.cells[axis] * end, u, v
        node = numbers[tuple(place)]
        shares[node] = shares.get(node, 0.0) + share * force

    for j, k in itertools.product(range(reach[b]), range(reach[c])):
        u, v = 2 * j, 2 * k
        corner = [0, 0, 0]
        corner[axis], corner[b], corner[c] = 2 * case.cells[axis] * end, u, v
        ends = [list(corner) for _ in range(2)]
        ends[0][b] += 2
        ends[1][c] += 2
        points = [place_in_space(case, p) for p in [corner] + ends]
        sides = [sum((x - o) ** 2 for x, o in zip(p, points[0])) ** 0.5 for p in points[1:]]
        force = case.problem.traction * sides[0] * sides[1]
        square = [(u, v), (u + 2, v), (u + 2, v + 2), (u, v + 2)]
        middles = [(u + 1, v), (u + 2, v + 1), (u + 1, v + 2), (u, v + 1)]
        for place in square if case.element != "C3D10" else []:
            add(*place, 1 / 4 if case.element == "C3D8" else -1 / 12)
        for place in middles if case.element != "C3D8" else []:
            add(*place, 1 / 3 if case.element == "C3D20R" else 1 / 6)
        if case.element == "C3D10":
            add(u + 1, v + 1, 1 / 3)
    return shares


def boundary(case, numbers):
    lines = ["*BOUNDARY"]
    for axis, end, directions in case.problem.held:
        at = 2 * case.cells[axis] * end
        for place, number in numbers.items():
            if place[axis] != at:
                continue
            lines += ["%d, %s, %s" % (number, d, d) for d in directions]
    # a node that several planes hold must be named once for each direction
    return [lines[0]] + list(dict.fromkeys(lines[1:]))


def deck(case):
    problem, (numbers, elements) = case.problem, calculix.build(case)
    shear = problem.young / (2 * (1 + case.poisson))
    bulk = problem.young / (3 * (1 - 2 * case.poisson))
    tip = tuple(round(2 * n * t) for n, t in zip(case.cells, problem.tip))
    lines = ["** " + case.name, "*NODE, NSET=ALL"]
    for place, number in numbers.items():
        lines.append(", ".join([str(number)] + ["%.12g" % x for x in place_in_space(case, place)]))
    lines.append("*ELEMENT, TYPE=%s, ELSET=BODY" % case.element)
    lines += [calculix.wrapped([i + 1] + nodes) for i, nodes in enumerate(elements)]
    lines += ["*NSET, NSET=TIP", "%d," % numbers[tip]]
    lines += ["*MATERIAL, NAME=RUBBER", "*HYPERELASTIC, NEO HOOKE"]
    lines += ["%.12g, %.12g" % (shear / 2, 2 / bulk), "*DENSITY", "1."]
    lines += ["*SOLID SECTION, ELSET=BODY, MATERIAL=RUBBER"] + boundary(case, numbers)
    lines += ["*STEP, NLGEOM, INC=1000", "*CONTROLS, PARAMETERS=FIELD", "1e-9, 1e-9"]
    lines += ["*STATIC", "0.1, 1."]
    if problem.gravity:
        lines += ["*DLOAD", "BODY, GRAV, %r, 0., 0., -1." % problem.gravity]
    else:
        lines.append("*CLOAD")
        direction = 2 if problem.direction == 2 else 3
        lines += ["%d, %d, %.12g" % (node, direction, share)
                  for node, share in face_shares(case, numbers).items()]
    lines += ["*NODE PRINT, NSET=TIP", "U", "*END STEP", ""]
    return "\n".join(lines)


def measure(case):
    value = calculix.last_row(case.name, deck(case))[case.problem.direction]
    print("%-20s %14.7g" % (case.name, value), flush=True)
    return value


def record(cases):
    known = calculix.renew(os.path.join(HERE, "locking.json"), cases, all_cases, measure)
    with open(os.path.join(HERE, "locking.h"), "w") as file:
        file.write("/* Displacements from %s; written by locking.py. */\n" % calculix.version())
        file.write("// clang-format off\n")
        file.write("static const struct {\n  const char *name;\n  double u;\n} recorded[] = {\n")
        for name, value in known.items():
            file.write('    {"%s", %r},\n' % (name, value))
        file.write("};\n")


if __name__ == "__main__":
    sys.exit(calculix.command(sys.argv[1:], "locking.py", __doc__, all_cases, deck, measure, record))
