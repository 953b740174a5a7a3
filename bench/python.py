#!/usr/bin/env python3
"""What Python costs: bench/python.py [--rounds N] [--lives N] [--only BENCH] [--csv FILE]

calls    a call of world.step() against a step inside of one call, and its share of a step of 24 000 tets
worlds   1000 worlds stepped over one thread against two; beside it the same worlds in two processes, each with its
         half: what two threads could have at best
memory   how much a process grows while worlds are created and destroyed

The package is that of PYTHONPATH, the library that of PLIANT_LIBRARY. Nothing else should run beside it."""

import argparse
import csv
import gc
import os
import statistics
import subprocess
import sys
import time

import pliant

STEPS = {"36 tets": ((3, 1, 1), 40), "240 tets": ((10, 2, 2), 4)}


def bar(cells, dt=0.02):
    """A bar that is held at one end, on one thread; 6 tets a cell."""
    mesh = pliant.Mesh.generate("box", size=(0.3, 0.1, 0.1), cells=cells)
    world = pliant.World(dt=dt, threads=1)
    world.add_body(mesh, pliant.Material(pliant.law.hooke(young=2e5, poisson=0.3), density=1000), name="bar").fix("x-min")
    return world


def clock(function):
    begin = time.perf_counter()
    function()
    return time.perf_counter() - begin


def one_by_one(world, steps):
    for _ in range(steps):
        world.step()


def measure_calls(rounds):
    """Microseconds of a call, by a world whose steps are short; then milliseconds of a step that is long."""
    small, large = bar((1, 1, 1)), bar((40, 10, 10))
    small.step(100)
    large.step(2)
    steps = 2000
    call = statistics.median(clock(lambda: one_by_one(small, steps)) - clock(lambda: small.step(steps)) for _ in range(rounds)) / steps
    step = statistics.median(clock(lambda: large.step(5)) / 5 for _ in range(rounds))
    yield "calls", "microseconds of a call", call * 1e6
    yield "calls", "milliseconds of a step of 24 000 tets", step * 1e3
    yield "calls", "share of the call in percent", 100 * call / step


def serve_half(kind):
    """The other side of two processes: steps its worlds whenever it gets a line."""
    cells, steps = STEPS[kind]
    worlds = [bar(cells) for _ in range(500)]
    pliant.step_all(worlds, 1, 1)
    print("ready", flush=True)
    for _ in sys.stdin:
        pliant.step_all(worlds, steps, 1)
        print("done", flush=True)


def step_halves(halves):
    for half in halves:
        half.stdin.write("\n")
        half.stdin.flush()
    for half in halves:
        half.stdout.readline()


def measure_worlds(rounds):
    for kind, (cells, steps) in STEPS.items():
        halves = [subprocess.Popen([sys.executable, __file__, "--half", kind], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
                  for _ in range(2)]
        worlds = [bar(cells) for _ in range(1000)]
        pliant.step_all(worlds, 1, 2)
        for half in halves:
            half.stdout.readline()
        threads, processes = [], []
        for _ in range(rounds):
            before = clock(lambda: pliant.step_all(worlds, steps, 1))
            two = clock(lambda: pliant.step_all(worlds, steps, 2))
            apart = clock(lambda: step_halves(halves))
            one = (before + clock(lambda: pliant.step_all(worlds, steps, 1))) / 2
            threads.append(one / two)
            processes.append(one / apart)
        for half in halves:
            half.stdin.close()
            half.wait()
        for name, ratios in ("two threads", threads), ("two processes", processes):
            yield "worlds", f"{kind}: {name}", statistics.median(ratios)
            yield "worlds", f"{kind}: {name}, least", min(ratios)
            yield "worlds", f"{kind}: {name}, most", max(ratios)


def resident():
    """Kilobytes of memory of this process."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4


def measure_memory(lives):
    def live(count):
        for _ in range(count):
            bar((1, 1, 1)).step()
        gc.collect()
        return resident()

    first = live(lives // 10)
    half, end = live(lives // 2), live(lives // 2)
    yield "memory", f"kB more after {lives // 2} worlds", half - first
    yield "memory", f"kB more after {lives // 2} others", end - half


def write(path, rows):
    """Rows of benches that were not run this time stay."""
    kept = []
    if os.path.exists(path):
        with open(path, newline="") as file:
            kept = [tuple(row) for row in csv.reader(file)][1:]
    measured = {row[0] for row in rows}
    with open(path, "w", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(("bench", "quantity", "value"))
        lines.writerows(sorted([row for row in kept if row[0] not in measured] + rows, key=lambda row: row[0]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--lives", type=int, default=100000)
    parser.add_argument("--only", choices=("calls", "worlds", "memory"))
    parser.add_argument("--csv")
    parser.add_argument("--half", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.half:
        return serve_half(given.half)
    benches = {"calls": lambda: measure_calls(given.rounds), "worlds": lambda: measure_worlds(given.rounds),
               "memory": lambda: measure_memory(given.lives)}
    rows = [row for name, bench in benches.items() if given.only in (None, name) for row in bench()]
    for bench, name, value in rows:
        print(f"{bench:8} {name:50} {value:10.3f}")
    if given.csv:
        write(given.csv, [(bench, name, f"{value:.4g}") for bench, name, value in rows])


if __name__ == "__main__":
    main()
