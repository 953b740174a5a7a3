#!/usr/bin/env python3
"""What auto takes against what can be chosen by hand, on bodies of many kinds: milliseconds of the steps
of ready scenes, the least of some rounds. With one thread it is the processor's time (pliant study), with
more the clock's (pliant run), for which nothing else should run on the machine.

    bench/choice.py [--pliant build/release/pliant] [--threads N] [--rounds N] [--only WORD] [--csv FILE]

Ends with 1 where auto takes more than 1.3 times the best."""

import argparse
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIMIT = 1.3

BAR = "cantilever.xml"
DROP = "sphere-drop.xml"
STATIC = "static-bar.xml"
TENTH = "world.duration=0.1"


def bar(cells, *more):
    return [f"mesh.box.cells={cells}", TENTH, *more]


# name, scene, what is changed
CASES = [
    ("bar, 192 tets", BAR, bar("8 2 2")),
    ("bar, 1536 tets", BAR, bar("16 4 4")),
    ("bar, 5184 tets", BAR, bar("24 6 6")),
    ("bar, 24 000 tets", BAR, bar("40 10 10")),
    ("bar, 98 304 tets", BAR, bar("64 16 16", "world.duration=0.05")),
    ("softer bar, E = 1e5, 5184 tets", BAR, bar("24 6 6", "material.young=1e5")),
    ("softer bar, E = 1e4, 5184 tets", BAR, bar("24 6 6", "material.young=1e4")),
    ("softer bar, E = 1e4, 98 304 tets", BAR, bar("64 16 16", "material.young=1e4", "world.duration=0.05")),
    ("stiffer bar, E = 1e9, 5184 tets", BAR, bar("24 6 6", "material.young=1e9")),
    ("statics, 192 tets", STATIC, ["mesh.box.cells=8 2 2"]),
    ("statics, 1536 tets", STATIC, ["mesh.box.cells=16 4 4"]),
    ("statics, 5184 tets", STATIC, []),
    ("statics, 24 000 tets", STATIC, ["mesh.box.cells=40 10 10"]),
    ("contact: sphere, 192 tets", DROP, ["mesh.sphere.cells=3", "world.duration=1"]),
    ("contact: sphere, 1536 tets", DROP, ["mesh.sphere.cells=6", "world.duration=0.5"]),
    ("contact: sphere, 7110 tets", DROP, ["mesh.sphere.cells=10", "world.duration=0.3"]),
    ("springs, 5184 tets", BAR, bar("24 6 6", "body.model=springs")),
    ("frames, 5 in a bar", "frames-bar.xml", ["world.duration=0.5"]),
    ("warped, 450 tets", "warped-bar.xml", ["world.duration=0.5"]),
    ("warped, 5184 tets", BAR, bar("24 6 6", "body.strain=warped")),
    ("poisson 0.49, 5184 tets", BAR, bar("24 6 6", "material.poisson=0.49")),
    ("poisson 0.499, 5184 tets", BAR, bar("24 6 6", "material.poisson=0.499")),
    ("poisson 0.499, 24 000 tets", BAR, bar("40 10 10", "material.poisson=0.499")),
    ("sheet, one cell thick, 9600 tets", BAR, bar("40 40 1", "mesh.box.size=1 1 0.02")),
    ("rod, 6000 tets", BAR, bar("250 2 2", "mesh.box.size=5 0.04 0.04")),
    ("rubber, 1296 hexes", "rubber.xml", ["world.duration=0.2"]),
]

# the last two are those for matrices that are not symmetric
SOLVERS = [
    ("auto", "auto", "auto"),
    ("multigrid", "cg", "multigrid"),
    ("blocks", "cg", "block-diagonal"),
    ("IC(0)", "cg", "incomplete-cholesky"),
    ("threshold", "cg", "threshold-cholesky"),
    ("eisenstat", "eisenstat", "auto"),
    ("minres", "minres", "auto"),
    ("bicgstab", "bicgstab", "auto"),
]
GENERAL = ("auto", "bicgstab")


def write_scene(scene, changes, folder):
    """The scene with a solver that can be changed, and without what only finite elements know."""
    with open(os.path.join(ROOT, "scenes", scene)) as file:
        text = file.read()
    if "<solver" not in text:
        text = re.sub(r"(<integrator[^>]*/>)", r"\1<solver/>", text)
    text = re.sub(r"<solver[^>]*/>", '<solver tolerance="1e-6"/>', text)
    if "body.model=springs" in changes:
        text = text.replace(' strain="corotated" mass="consistent"', "")
    path = os.path.join(folder, "scene.xml")
    with open(path, "w") as file:
        file.write(text)
    return path


def choice(solver):
    return [f"solver.method={solver[1]}", f"solver.preconditioner={solver[2]}"]


def run(options, path, changes, folder):
    """The summary of a run."""
    command = [options.pliant, "run", path, "-o", os.path.join(folder, "out")]
    command += ["--threads", str(options.threads), "--progress", "off"]
    for change in changes:
        command += ["--set", change]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with open(os.path.join(folder, "out", "summary.json")) as file:
        return json.load(file)


def study(options, path, changes, solvers, folder):
    """Processor's seconds of each solver."""
    rows = [f'<option name="{s[0]}" set="{"; ".join(choice(s))}"/>' for s in solvers]
    text = f"""<study title="choice" scene="scene.xml" set="{"; ".join(changes)}">
      <vary name="solver">{"".join(rows)}</vary><measure repeat="{options.rounds}"/>
      <table title="seconds" rows="solver" columns="solver" value="seconds"/></study>"""
    with open(os.path.join(folder, "study.xml"), "w") as file:
        file.write(text)
    out = os.path.join(folder, "study")
    subprocess.run([options.pliant, "study", file.name, "-o", out], check=True, stdout=subprocess.DEVNULL)
    with open(os.path.join(out, "results.csv")) as file:
        return {row["solver"]: float(row["seconds"]) for row in csv.DictReader(file)}


def measure(options, scene, changes):
    """Least seconds of each solver, and auto's summary."""
    solvers = [s for s in SOLVERS if s[0] in GENERAL or not ("warped" in scene or "body.strain=warped" in changes)]
    with tempfile.TemporaryDirectory() as folder:
        path = write_scene(scene, changes, folder)
        said = run(options, path, changes + choice(SOLVERS[0]), folder)
        if options.threads == 1:
            return study(options, path, changes, solvers, folder), said
        best = {}
        for _ in range(options.rounds):
            for solver in solvers:
                seconds = run(options, path, changes + choice(solver), folder)["seconds"]["steps"]
                best[solver[0]] = min(seconds, best.get(solver[0], seconds))
        return best, said


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pliant", default=os.path.join(ROOT, "build/release/pliant"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="cases whose names contain this")
    parser.add_argument("--csv", help="write the table there too")
    options = parser.parse_args()
    rows = [["case", *(name for name, _, _ in SOLVERS), "auto_over_best", "took"]]
    print("| case | " + " | ".join(name for name, _, _ in SOLVERS) + " | auto / best | it took |")
    print("|---" * (len(SOLVERS) + 3) + "|")
    worst = 0
    for case, scene, changes in CASES:
        if options.only not in case:
            continue
        seconds, said = measure(options, scene, changes)
        ratio = seconds["auto"] / min(seconds.values())
        worst = max(worst, ratio)
        cells = [f"{1e3 * seconds[s[0]]:.3g}" if s[0] in seconds else "" for s in SOLVERS]
        took = said["solver_in_use"] + ", " + said["preconditioner_in_use"]
        rows.append([case, *cells, f"{ratio:.2f}", took])
        print(f"| {case} | " + " | ".join(cells) + f" | {ratio:.2f} | {took} |", flush=True)
    if options.csv:
        with open(options.csv, "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
    print(f"\nms; auto takes {worst:.2f} times the best at most")
    return worst > LIMIT


if __name__ == "__main__":
    sys.exit(main())
