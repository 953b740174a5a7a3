#!/usr/bin/env python3
"""Do the pieces of a frame make up the file that one process writes? Texts in the XML are compared:

    pieces.py WHOLE.vtu PARALLEL.pvtu TOLERANCE

Every array that the list names must be in every piece, every element in one piece, and numbers of
nodes that are in several pieces must be the same bits in all of them."""
import os
import sys
import xml.etree.ElementTree as ET


def arrays(node):
    return {array.get("Name"): (int(array.get("NumberOfComponents")), array.text.split()) for array in node.iter("DataArray")}


def tuples(array):
    width, words = array
    return [words[i:i + width] for i in range(0, len(words), width)]


def read(path):
    piece = ET.parse(path).getroot().find("UnstructuredGrid/Piece")
    points = dict(arrays(piece.find("PointData")), Points=arrays(piece.find("Points"))["Points"])
    cells = arrays(piece.find("Cells"))
    assert set(cells["types"][1]) == {"10"}, "tetrahedra are expected"
    nodes = [cells["connectivity"][1][i:i + 4] for i in range(0, len(cells["connectivity"][1]), 4)]
    return {k: tuples(v) for k, v in points.items()}, {k: tuples(v) for k, v in arrays(piece.find("CellData")).items()}, nodes


def near(a, b, tolerance, scale):
    return all(abs(float(x) - float(y)) <= tolerance * scale for x, y in zip(a, b))


def compare(name, whole, parts, tolerance):
    scale = max(abs(float(x)) for row in whole for x in row) or 1
    assert len(whole) == len(parts) and None not in parts, f"{name}: {parts.count(None)} of {len(whole)} are missing"
    for i, (a, b) in enumerate(zip(whole, parts)):
        assert near(a, b, tolerance, scale), f"{name} {i}: {a} and {b}"


def main(whole_path, list_path, tolerance):
    points, cells, nodes = read(whole_path)
    listed = ET.parse(list_path).getroot().find("PUnstructuredGrid")
    count, elements = len(points["Points"]), len(nodes)
    at = {name: [None] * count for name in points}
    of = {name: [None] * elements for name in cells}
    corners = [None] * elements
    for source in listed.findall("Piece"):
        own_points, own_cells, own_nodes = read(os.path.join(os.path.dirname(list_path), source.get("Source")))
        for kind, own in (("PPointData", own_points), ("PCellData", own_cells)):
            for array in listed.find(kind):
                assert array.get("Name") in own, f"{source.get('Source')} has no {array.get('Name')}"
        number = [int(float(i[0])) for i in own_points["GlobalNodeId"]]
        for name in points:
            for i, row in zip(number, own_points[name]):
                assert at[name][i] in (None, row), f"{name} of node {i} differs between pieces"
                at[name][i] = row
        for j, e in enumerate(int(float(i[0])) for i in own_cells["GlobalElementId"]):
            assert corners[e] is None, f"element {e} is there twice"
            corners[e] = [str(number[int(k)]) for k in own_nodes[j]]
            for name in cells:
                of[name][e] = own_cells[name][j]
    assert corners == nodes, "elements differ"
    for name in points:
        compare(name, points[name], at[name], tolerance)
    for name in cells:
        compare(name, cells[name], of[name], tolerance)
    print(f"{len(listed.findall('Piece'))} pieces: {count} nodes, {elements} elements, {len(points) + len(cells)} arrays as in one file")


main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
