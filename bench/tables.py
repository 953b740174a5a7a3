#!/usr/bin/env python3
"""Writes the tables of docs/*.md that stand between <!-- table NAME --> and <!-- end --> from
bench/results/*.csv, which bench/figures.sh measures.

    bench/tables.py [--check]    --check: ends with 1 where a table differs from its file"""

import csv
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DOCS = ["docs/performance.md", "docs/solvers.md", "docs/haptics.md", "docs/cloth.md", "docs/contact.md",
        "docs/reproduction/hexahedra.md", "docs/reproduction/grids.md", "docs/many-machines.md"]
LIMIT = 1.3  # auto against the best


def read(name):
    with open(os.path.join(ROOT, "bench/results", name + ".csv"), newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def groups(rows, *keys):
    """Rows with the same keys, in the order of the file."""
    found = {}
    for row in rows:
        found.setdefault(tuple(row[key] for key in keys), []).append(row)
    return found


def number(text, digits=3):
    """Three digits, thousands apart."""
    value = float(text)
    if value == 0:
        return "0"
    if abs(value) < 1e-3:
        return f"{value:.1e}".replace("e-0", "e-")
    if abs(value) >= 1e5 or (value == int(value) and abs(value) >= 1000):
        return f"{value:,.0f}".replace(",", " ")
    return f"{float(f'{value:.{digits}g}'):g}"


def span(rows, key, digits=3):
    values = sorted(float(row[key]) for row in rows if row[key] != "")
    if not values:
        return ""
    low, high = number(values[0], digits), number(values[-1], digits)
    return low if low == high else f"{low} to {high}"


def least(rows, key):
    return min((row for row in rows if row[key] != ""), key=lambda row: float(row[key]), default=None)


def steps():
    rows = []
    for (tets, threads), many in groups(read("steps"), "tets", "threads").items():
        best = least(many, "ms_per_step")
        ms = float(best["ms_per_step"])
        most = max(float(row["ms_per_step"]) for row in many)
        rows.append([number(tets), threads, number(ms), f"to {number(most)}", number(1e3 / ms),
                     number(best["ms_evaluate"]), number(best["ms_solve"]), number(best["cg_iterations"]),
                     number(best["residual"]), number(1e6 * ms / float(tets)),
                     number(1e-3 * float(best["bytes_per_tet"]))])
    return table(["tets", "threads", "ms/step", "range", "steps/s", "force + assembly", "solve",
                  "CG iterations", "residual", "ns per tet", "kB per tet"], rows)


def steps_block_diagonal():
    rows = []
    for (tets, threads), many in groups(read("steps-block-diagonal"), "tets", "threads").items():
        for row in many:
            per_iteration = float(row["ms_solve"]) / float(row["cg_iterations"])
            row["in_iterations"] = str(float(row["ms_evaluate"]) / per_iteration)
        rows.append([number(tets), threads, span(many, "ms_per_step"), span(many, "ms_evaluate"),
                     span(many, "ms_solve"), span(many, "cg_iterations"), span(many, "in_iterations", 2)])
    return table(["tets", "threads", "ms/step", "force + assembly", "solve", "CG iterations",
                  "force + assembly in iterations"], rows)


def kernels():
    one = [row for row in read("kernels") if row["threads"] == "1"]
    sizes = list(groups(one, "tets"))
    rows = []
    for (kernel, per), many in groups(one, "kernel", "per").items():
        cells = []
        for (tets,) in sizes:
            at = [row for row in many if row["tets"] == tets]
            best = least(at, "ns") if at else None
            part = f", {100 * float(best['of_triad']):.0f} %" if best and best["of_triad"] else ""
            cells.append(f"{number(best['ns'])}, {number(best['gb_per_s'])}{part}" if best else "")
        rows.append([kernel, per, span(many, "bytes", 4), span(many, "flops", 4), *cells])
    return table(["kernel", "per", "bytes", "flops"] +
                 [f"{number(tets)} tets: ns, GB/s, of the triad" for (tets,) in sizes], rows)


def contact_solves():
    rows = []
    for (against, tets, kind), many in groups(read("contact-solves"), "against", "tets", "preconditioner").items():
        free = float(many[0]["iterations_free"])
        counts = [row for row in many if row["iterations"] != "nan"]
        rows.append(["another block" if against == "body" else "a plane", number(tets), kind, f"{free:.1f}",
                     ", ".join(f"{float(row['iterations']):.1f} ({number(row['value'])})" for row in counts),
                     f"{max(float(row['iterations']) for row in counts) / free:.2f}"])
    return table(["against", "tets", "preconditioner", "free", "in contact (stiffness factor, or friction)", "most / free"], rows)


def friction_cost(row, kind=""):
    """In iterations of conjugate gradients, by instructions of 750 tets: a matrix 13, a linear system 6."""
    systems, matrices, iterations = (float(row[word + kind]) for word in ("systems", "matrices", "iterations"))
    return 6 * systems + 13 * matrices + iterations


def friction():
    rows = [[row["phase"], row["degrees"], row["systems_without"], row["iterations_without"], row["systems"], row["iterations"],
             f"{float(row['iterations']) / float(row['iterations_without']):.2f}"]
            for row in read("friction") if row["method"] == "implicit-euler"]
    return table(["phase", "degrees", "systems, mu 0", "iterations", "systems, mu 0.5", "iterations", "iterations, ratio"], rows)


def friction_methods():
    rows = []
    for (method,), many in groups(read("friction"), "method").items():
        for row in many:
            row["cost"] = str(friction_cost(row) / friction_cost(row, "_without"))
        worst = max(many, key=lambda row: float(row["cost"]))
        rows.append([method, span(many, "systems_without"), span(many, "systems"), span(many, "matrices_without"),
                     span(many, "matrices"), span(many, "cost"), f"{worst['phase']}, {worst['degrees']}"])
    return table(["method", "systems, mu 0", "systems, mu 0.5", "matrices, mu 0", "matrices, mu 0.5", "cost, ratio",
                  "most in (degrees)"], rows)


def contact():
    rows = []
    for (triangles, layers, threads), many in groups(read("contact"), "triangles", "layers", "threads").items():
        for row in many:
            row["ns"] = str(1e6 * float(row["ms_fresh_processor"]) / float(triangles))
        rows.append([number(triangles), layers, threads, span(many, "ms_fresh"), span(many, "ms_fresh_processor"),
                     span(many, "ns", 2), span(many, "ms_kept"), span(many, "contacts")])
    return table(["triangles", "layers", "threads", "fresh, ms by the clock", "processor", "ns per triangle",
                  "kept, mean ms by the clock", "contacts"], rows)


def grids():
    rows = []
    for (particles, scene, solver), many in groups(read("grids"), "particles", "scene", "solver").items():
        cells = [number(particles), scene, solver]
        for threads in "12":
            best = least([row for row in many if row["threads"] == threads], "ms_per_step")
            cells.append(number(best["ms_per_step"]))
        cells += [f"{number(best['ms_evaluate'])} / {number(best['ms_solve'])}", number(best["residual"], 2)]
        rows.append(cells)
    return table(["particles", "scene", "solver", "1 thread, ms", "2 threads, ms", "force and matrix / solver, 2 threads",
                  "residual"], rows)


def cloth():
    rows = []
    for (cells, kind, contact, residual), many in groups(read("cloth"), "cells", "preconditioner", "contact",
                                                         "residual").items():
        line = [f"{cells} x {cells}", kind, contact, residual]
        for threads in "12":
            best = least([row for row in many if row["threads"] == threads], "ms_per_step")
            line.append(number(best["ms_per_step"]))
        line += [f"{number(best['ms_evaluate'])} / {number(best['ms_solve'])}", number(best["cg_iterations"]),
                 number(best["stretch"])]
        rows.append(line)
    return table(["cells", "preconditioner", "contact", "residual", "1 thread, ms", "2 threads, ms",
                  "force and matrix / solver, 2 threads", "CG iterations", "largest stretch"], rows)


def pile():
    rows = [[row["t_s"], number(row["bullet_ms"]), number(row["one_ms"]), number(row["two_ms"]),
             f"{float(row['bullet_ms']) / float(row['one_ms']):.1f}",
             f"{float(row['bullet_ms']) / float(row['two_ms']):.1f}",
             f"{row['bullet_mm']}, {row['one_mm']}, {row['two_mm']}"] for row in read("pile")]
    heads = ["until, s", "Bullet, ms", "1 thread, ms", "2 threads, ms", "ratio, 1", "ratio, 2", "deepest so far, mm"]
    if "bullet_cpu_ms" in read("pile")[0]:  # files of before have times by the clock only
        heads += ["processor: Bullet, 1 thread, 2 threads, ms", "ratio, 1"]
        for cells, row in zip(rows, read("pile")):
            cells += [", ".join(number(row[name]) for name in ("bullet_cpu_ms", "one_cpu_ms", "two_cpu_ms")),
                      f"{float(row['bullet_cpu_ms']) / float(row['one_cpu_ms']):.1f}"]
    return table(heads, rows)


def solvers(cell):
    data = [row for row in read("solvers") if not row["matrix"].startswith("bar ") and row["solver"] != "factor"]
    matrices = [matrix for (matrix,) in groups(data, "matrix")]
    rows = []
    for (solver, preconditioner), many in groups(data, "solver", "preconditioner").items():
        cells = []
        for matrix in matrices:
            at = [row for row in many if row["matrix"] == matrix]
            cells.append(cell(at) if at else "")
        name = solver if solver != "cg" else f"cg, {preconditioner}"
        rows.append([name, *cells])
    return matrices, rows


def cholmod():
    rows = [[row["factor"], row["blas"], row["ms_analysis"], row["ms_factor"], row["ms_solve"], row["residual"]]
            for row in read("cholmod")]
    return table(["factor", "BLAS", "analysis, ms", "factorisation, ms", "back-substitution, ms", "residual"], rows)


def solver_iterations():
    def cell(at):
        thesis = f" ({at[0]['thesis_iterations']})" if int(at[0]["thesis_iterations"]) else ""
        return span(at, "iterations") + thesis

    matrices, rows = solvers(cell)
    return table(["iterations (thesis, table 3.4)", *matrices], rows)


def solver_times():
    def cell(at):
        setup, solve = least(at, "ms_setup"), least(at, "ms_solve")
        if not setup:
            return ""
        thesis = f" ({number(at[0]['thesis_ms_setup'])} / {number(at[0]['thesis_ms_solve'])})"
        return (f"{number(setup['ms_setup'], 2)} / {number(solve['ms_solve'], 2)}" +
                (thesis if float(at[0]["thesis_ms_solve"]) else ""))

    matrices, rows = solvers(cell)
    return table(["setup / solve, ms (thesis, table 3.5)", *matrices], rows)


def choice():
    rows = []
    for row in read("choice"):
        over = float(row["auto_over_best"]) > LIMIT
        bold = "**" if over else ""
        names = [key for key in row if key not in ("case", "auto_over_best", "took")]
        rows.append([bold + row["case"] + bold, *(row[name] for name in names),
                     bold + row["auto_over_best"] + bold, row["took"]])
    return table(["case", *names, "auto / best", "it took"], rows)


def materials(which, value, head, unit, digits=3):
    """One table of pliant bench materials: its rows by their sizes."""
    found = groups([row for row in read("materials") if row["table"] == which], "row", "size")
    sizes = list(dict.fromkeys(size for _, size in found))
    return table([head] + [(number(size) if float(size) >= 1 else size) + unit for size in sizes],
                 [[name] + [span(found.get((name, size), []), value, digits) for size in sizes]
                  for name in dict.fromkeys(name for name, _ in found)])


def hexes(which):
    """Rows of pliant bench hexes: the values of each quantity by points and elements."""
    found = groups([row for row in read("hexes") if row["table"] == which], "elements", "points", "quantity")
    return lambda elements, points, quantity: min(float(row["value"]) for row in found[elements, points, quantity])


def hex_steps():
    at, rows = hexes("steps"), []
    for elements in ["1331", "10648", "97336", "1000000"]:
        row = [number(elements)]
        for points in ["one-point", "full"]:
            one, two = at(elements, points, "ms_one_thread"), at(elements, points, "ms_two_threads")
            row += [f"{number(one)} / {number(two)}", number(one / two), number(100 * at(elements, points, "of_peak"), 2) + " %"]
        rows.append(row)
    return table(["elements", "one point, 1 / 2 threads", "gain", "of the peak", "2x2x2, 1 / 2 threads", "gain", "of the peak"], rows)


def hex_meshes():
    at, rows = hexes("meshes"), []
    for elements in ["1331", "727", "708", "629", "876"]:
        row = [elements, number(float(elements) / 1331)]
        for points in ["one-point", "full"]:
            row += [number(at(elements, points, "ms_one_thread")), number(at(elements, points, "ratio"))]
        rows.append(row)
    return table(["mesh", "of 1331", "one point", "ratio", "2x2x2", "ratio"], rows)


def haptics():
    """The largest block that is felt in real time, by the length of the step."""
    found = groups(read("haptics"), "material", "dt_ms")
    steps = list(dict.fromkeys(dt for _, dt in found))
    return table(["material"] + [dt + " ms" for dt in steps],
                 [[name] + [span(found[name, dt], "tets") + " tets" for dt in steps]
                  for name in dict.fromkeys(name for name, _ in found)])


def machine():
    row = read("machine")[0]
    return (f"Measured on {row['processor']}; processors: {row['processors']}; {row['date']}; "
            f"rounds: {row['rounds']}; {row['source']}.")


def ranks():
    rows = []
    for (number_of, tets), many in groups(read("ranks"), "ranks", "tets").items():
        at = {row["preset"]: row for row in many}
        rows.append([number_of, number(tets)] + [number(at[name][key]) if name in at else ""
                                                 for key in ("iterations", "peak_mb") for name in ("gamg", "grid")])
    return table(["ranks", "tets", "gamg", "grid", "MB of a rank, gamg", "grid"], rows)


TABLES = {"steps": steps, "steps-block-diagonal": steps_block_diagonal, "kernels": kernels, "contact": contact, "contact-solves": contact_solves, "friction": friction, "friction-methods": friction_methods, "pile": pile,
          "solver-iterations": solver_iterations, "solver-times": solver_times, "choice": choice, "cholmod": cholmod,
          "machine": machine, "haptics": haptics, "ranks": ranks,
          "grids": grids, "cloth": cloth, "hex-steps": hex_steps, "hex-meshes": hex_meshes,
          "laws": lambda: materials("laws", "ratio", "law", " tets"),
          "memory-corotated": lambda: materials("memory around corotated", "ratio", "corotated", " tets"),
          "memory-neo-hooke": lambda: materials("memory around neo-hooke", "ratio", "neo-hooke", " tets"),
          "near-half": lambda: materials("multigrid", "cg_iterations", "elements", "")}


def main():
    check = "--check" in sys.argv[1:]
    differs, count = [], 0
    for path in DOCS:
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            text = file.read()

        def fill(match):
            nonlocal count
            count += 1
            new = f"<!-- table {match[1]} -->\n{TABLES[match[1]]()}\n<!-- end -->"
            if new != match[0]:
                differs.append(f"{path}: table {match[1]}")
            return new

        changed = re.sub(r"<!-- table ([a-z-]+) -->\n(?:.*?\n)??<!-- end -->", fill, text, flags=re.S)
        if not check and changed != text:
            with open(os.path.join(ROOT, path), "w", encoding="utf-8") as file:
                file.write(changed)
    for line in differs if check else []:
        print(line, "is not that of bench/results; run bench/tables.py")
    print(count, "tables")
    return bool(check and differs) or count == 0


if __name__ == "__main__":
    sys.exit(main())
