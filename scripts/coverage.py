#!/usr/bin/env python3
"""Which lines of some rooms no test runs: coverage.py [--rooms io,view]

Compiles the rooms' files for gcov, links them in front of the library's archive with the rooms' own
tests, the replays of the fuzz targets' seeds and those of ALSO, runs all of them, and prints what was
never reached. Lines of scripts/coverage.txt (FILE, a tab, the line's text, a tab, why no test runs
it) do not count; the others make it exit with 1.

Needs a finished build/release (scripts/build.sh release)."""
import argparse
import glob
import gzip
import json
import os
import shlex
import subprocess
import sys
import tempfile

from mutate import BUILD, LINKER, ROOT, compile_commands, libraries

# tests of other rooms that are about these
ALSO = {"io": ["scene/test_scene", "scene/test_errors", "world/test_state", "core/test_core"], "view": []}


def compile_for_gcov(entry, folder):
    """The object, with its notes beside it."""
    words = shlex.split(entry["command"])
    words = words[1:] if words[0].endswith("ccache") else words
    name = os.path.relpath(entry["file"], ROOT).replace("/", "_")[:-2]
    variant = "_avx2" if "-mavx2" in words else ""
    target = os.path.join(folder, name + variant + ".o")
    words[words.index("-o") + 1] = target
    words = [w for w in words if w not in ("-O1", "-O2", "-O3", "-MD")]
    for flag in ("-MF", "-MT"):
        if flag in words:
            at = words.index(flag)
            del words[at:at + 2]
    subprocess.run(words + ["-O0", "--coverage"], cwd=BUILD, check=True)
    return target


def programs(room, commands):
    """Objects of every program to be run, and its arguments."""
    tests = sorted(glob.glob(ROOT + "/tests/%s/test_*.c" % room))
    tests += [ROOT + "/tests/%s.c" % name for name in ALSO.get(room, [])]
    for path in tests:
        yield [path], []
    for path in sorted(glob.glob(ROOT + "/tests/fuzz/fuzz_*.c")):
        short = os.path.basename(path)[5:-2]
        if (short in ("http", "page")) == (room == "view") and short != "arguments":
            yield [path, ROOT + "/tests/fuzz/replay.c"], [ROOT + "/tests/fuzz/corpus/" + short]


def object_of(path, commands):
    entry = commands[os.path.relpath(path, ROOT)][0]
    words = shlex.split(entry["command"])
    return os.path.join(BUILD, words[words.index("-o") + 1])


def view_libraries():
    """What tests of the viewer are linked with."""
    lines = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", "tests/view_test_server"],
                           capture_output=True, text=True, check=True).stdout.split("\n")
    words = shlex.split([l for l in lines if "-o tests/view_test_server" in l][-1])
    return [w for w in words[words.index("tests/view_test_server") + 1:] if w not in ("&&", ":")]


def run_room(room, folder, commands):
    files = [os.path.relpath(p, ROOT) for p in sorted(glob.glob(ROOT + "/src/%s/*.c" % room))]
    objects = [compile_for_gcov(e, folder) for f in files for e in commands.get(f, []) if f in commands]
    linked = view_libraries() if room == "view" else libraries()
    environment = dict(os.environ, PLIANT_SOURCE=ROOT, PLIANT_COMMAND=BUILD + "/pliant")
    for sources, arguments in programs(room, commands):
        own = [object_of(s, commands) for s in sources]
        program = os.path.join(folder, "program")
        subprocess.run(["cc", *LINKER, "--coverage", "-Wl,-z,muldefs", *own, *objects, "-o", program, *linked],
                       cwd=BUILD, check=True)
        code = subprocess.run([program, *arguments], cwd=folder, env=environment, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode
        print("  %s%s" % (os.path.relpath(sources[0], ROOT), " FAILED" if code else ""), flush=True)
    return objects


def lines_of(objects, folder):
    """How often each line ran: {file: {number: count}}."""
    found = {}
    for one in objects:
        subprocess.run(["gcov", "-j", one], cwd=folder, check=True, capture_output=True)
    for path in glob.glob(folder + "/*.gcov.json.gz"):
        for file in json.load(gzip.open(path))["files"]:
            name = os.path.relpath(os.path.join(BUILD, file["file"]), ROOT)
            counts = found.setdefault(name, {})
            for line in file["lines"]:
                counts[line["line_number"]] = counts.get(line["line_number"], 0) + line["count"]
    return found


def known_lines():
    path = os.path.join(ROOT, "scripts/coverage.txt")
    lines = open(path).read().split("\n") if os.path.exists(path) else []
    return {tuple(line.split("\t")[:2]) for line in lines if line and not line.startswith("#")}


def report(room, found, known):
    total = missed = unexplained = 0
    for name in sorted(found):
        if not name.startswith("src/%s/" % room):
            continue
        text = open(os.path.join(ROOT, name)).read().split("\n")
        for number, count in sorted(found[name].items()):
            total += 1
            if count:
                continue
            missed += 1
            line = text[number - 1].strip()
            if (name, line) not in known:
                unexplained += 1
                print("%s:%d\t%s" % (name, number, line))
    print("%s: %d of %d lines run, %.2f %%; %d of the others are not explained"
          % (room, total - missed, total, 100.0 * (total - missed) / total, unexplained))
    return unexplained


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rooms", default="io,view")
    given = parser.parse_args()
    commands, known, unexplained = compile_commands(), known_lines(), 0
    for room in given.rooms.split(","):
        with tempfile.TemporaryDirectory() as folder:
            objects = run_room(room, folder, commands)
            unexplained += report(room, lines_of(objects, folder), known)
    return unexplained > 0


if __name__ == "__main__":
    sys.exit(main())
