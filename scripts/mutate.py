#!/usr/bin/env python3
"""Mutation testing of some rooms: mutate.py [--seed N] [--count N] [--rooms math,material,sparse,ode]

Changes one operator, number or statement of a source file at a time, compiles that file, links it in
front of the library's archive with the tests of its room, and runs these until one fails. A mutant
whose tests all pass survives. The sample depends on the seed and the sources only.

Needs a finished build/release (scripts/build.sh release). Prints one line per mutant and the share of
those killed; exits with 1 below --least percent, survivors of scripts/mutants.txt not counted (FILE:LINE
CHANGE, a tab, and the reason why no test could or should notice)."""
import argparse
import concurrent.futures
import glob
import json
import os
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, "build/release")
LINKER = next((["-fuse-ld=" + name] for name in ("mold", "lld", "gold") if shutil.which("ld." + name)), [])

# quick tests of other rooms that use a room's files: asked where its own tests notice nothing
NEXT = {
    "math": ["material/test_strains", "material/test_layers", "material/test_memory", "model/test_models"],
    "material": ["model/test_models", "model/test_fem", "model/test_memory", "world/test_materials", "world/test_memory"],
    "sparse": ["world/test_statics", "world/test_touch", "world/test_tie", "ode/test_coupled"],
    "ode": ["world/test_world", "world/test_statics", "world/test_steps", "world/test_control", "world/test_rigid",
            "world/test_relax", "world/test_local"],
}

# a pattern and what it becomes; within code, not within comments, text or lines of the preprocessor
CHANGES = [
    (r" \+ ", " - "), (r" - ", " + "), (r" \* ", " / "), (r" / ", " * "), (r" \+= ", " -= "), (r" -= ", " += "),
    (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "), (r" == ", " != "), (r" != ", " == "),
    (r" && ", " || "), (r" \|\| ", " && "), (r"\b0\.5\b", "0.25"), (r"(?<![\w.])2(?= \*)", "3"),
    (r"= 0;", "= 1;"), (r"= 1;", "= 0;"), (r"\breturn 0;", "return 1;"), (r"\breturn 1;", "return 0;"),
    (r"\bfmax\(", "fmin("), (r"\bfmin\(", "fmax("), (r"\bif \(!", "if ("),
    (r"^(\s+)([a-z_\->\[\]\w.]+ [-+*/]?= [^;=]+;)$", r"\1;"), (r"^(\s+)(pl_\w+\([^;]*\);)$", r"\1;"),
]


def code_lines(text):
    """Numbers of lines that hold code, and each with comments cut off."""
    in_comment = False
    for number, line in enumerate(text.split("\n")):
        if in_comment:
            in_comment = "*/" not in line
            continue
        bare = re.sub(r"/\*.*?\*/", lambda m: " " * len(m.group()), line)
        if "/*" in bare:
            in_comment, bare = True, bare[:bare.index("/*")]
        bare = bare.split("//")[0]
        if bare.strip() and not bare.lstrip().startswith("#") and '"' not in bare and "for (int" not in bare:
            yield number, bare


def sites(path):
    text = open(os.path.join(ROOT, path)).read()
    for number, bare in code_lines(text):
        for k, (pattern, _) in enumerate(CHANGES):
            for match in re.finditer(pattern, bare):
                yield path, number, k, match.start()


def mutate(text, site):
    _, number, k, start = site
    lines = text.split("\n")
    pattern, to = CHANGES[k]
    match = re.compile(pattern).search(lines[number], start if not pattern.startswith("^") else 0)
    lines[number] = lines[number][:match.start()] + match.expand(to) + lines[number][match.end():]
    change = "%s -> %s" % (match.group().strip(), match.expand(to).strip())
    return "\n".join(lines), "%s:%d %s" % (site[0], number + 1, change)


def compile_commands():
    by_file = {}
    for entry in json.load(open(os.path.join(BUILD, "compile_commands.json"))):
        by_file.setdefault(os.path.relpath(entry["file"], ROOT), []).append(entry)
    return by_file


def libraries():
    """What every test is linked with behind its own object: from the link line of one."""
    lines = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", "tests/math_test_functions"],
                           capture_output=True, text=True, check=True).stdout.split("\n")
    line = [l for l in lines if "-o tests/math_test_functions" in l][-1]
    words = shlex.split(line.split("&&")[1] if "&&" in line else line)
    first = next(i for i, w in enumerate(words) if w.endswith("libpliant_static.a"))
    return [w for w in words[first:] if w not in ("&&", ":")]


def compile_file(entry, source, target, overlay=None):
    words = shlex.split(entry["command"])
    if words[0].endswith("ccache"):
        words = words[1:]
    out = words.index("-o")
    words[out + 1] = target
    words = [source if os.path.abspath(os.path.join(BUILD, w)) == entry["file"] else w for w in words]
    words = ["-O1" if w in ("-O2", "-O3") else w for w in words if w not in ("-Werror",)]
    drop = [i for i, w in enumerate(words) if w in ("-MF", "-MT")]
    for i in reversed(drop):
        del words[i:i + 2]
    words = [w for w in words if w != "-MD"]
    if overlay:
        words.insert(1, "-I" + overlay)
    words.insert(1, "-I" + os.path.dirname(entry["file"]))
    return subprocess.run(words, cwd=BUILD, capture_output=True).returncode == 0


class Bench:
    def __init__(self, folder, given):
        self.folder, self.limit, self.longest = folder, given.limit, given.longest
        self.commands, self.libraries = compile_commands(), libraries()
        self.seconds = {}

    def tests(self, room):
        names = [os.path.relpath(p, ROOT) for p in glob.glob(ROOT + "/tests/%s/test_*.c" % room)]
        quick = [name for name in names if self.seconds.get(name, 0) <= self.longest]
        nexts = ["tests/%s.c" % name for name in NEXT.get(room, [])]
        return sorted(quick, key=lambda name: (self.seconds.get(name, 0), name)) + nexts

    def object_of(self, test):
        entry = self.commands[test][0]
        words = shlex.split(entry["command"])
        return os.path.join(BUILD, words[words.index("-o") + 1])

    def objects(self, path, text):
        """Compiles the mutant, once for each variant; a header with all files of its room."""
        out = []
        if path.endswith(".c"):
            source = os.path.join(self.folder, os.path.basename(path))
            open(source, "w").write(text)
            files = [(path, source)]
            overlay = None
        else:
            overlay = os.path.join(self.folder, "overlay")
            os.makedirs(os.path.join(overlay, os.path.dirname(path)[4:]), exist_ok=True)
            for old in glob.glob(overlay + "/*/*.h"):
                os.remove(old)
            open(os.path.join(overlay, path[4:]), "w").write(text)
            room = os.path.dirname(path)
            files = [(os.path.relpath(p, ROOT), p) for p in sorted(glob.glob(ROOT + "/" + room + "/*.c"))]
        for name, source in files:
            for entry in self.commands[name]:
                target = os.path.join(self.folder, "m%d.o" % len(out))
                if not compile_file(entry, source, target, overlay):
                    return None, None
                out.append(target)
        return out, overlay

    def execute(self, program):
        """Its exit code and processor seconds: a busy machine makes the wall clock run, not these."""
        environment = dict(os.environ, PLIANT_SOURCE=ROOT, PLIANT_COMMAND=BUILD + "/pliant")
        bound = lambda: resource.setrlimit(resource.RLIMIT_CPU, (self.limit, self.limit + 5))
        child = subprocess.Popen([program], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment,
                                 cwd=self.folder, preexec_fn=bound)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        return child.returncode, usage.ru_utime

    def run(self, path, text):
        """'killed by TEST', 'survived' or 'does not compile'."""
        objects, overlay = self.objects(path, text)
        if objects is None:
            return "does not compile"
        room = path.split("/")[1]
        for test in self.tests(room):
            own = self.object_of(test)
            if overlay:
                own = os.path.join(self.folder, "test.o")
                if not compile_file(self.commands[test][0], os.path.join(ROOT, test), own, overlay):
                    return "does not compile"
            program = os.path.join(self.folder, "program")
            linked = subprocess.run(["cc", *LINKER, own] + objects + ["-o", program] + self.libraries, cwd=BUILD,
                                    capture_output=True)
            if linked.returncode:
                return "does not link"
            code, seconds = self.execute(program)
            if code == -signal.SIGXCPU:
                return "killed by the time limit of " + test
            self.seconds.setdefault(test, seconds)
            if code:
                return "killed by " + test
        return "survived"


def check_baseline(bench, rooms):
    """Every test passes with a file of its room that is compiled again and not changed."""
    for room in rooms:
        path = os.path.relpath(sorted(glob.glob(ROOT + "/src/%s/*.c" % room))[0], ROOT)
        result = bench.run(path, open(os.path.join(ROOT, path)).read())
        if result != "survived":
            sys.exit("%s is not changed, and yet %s: mutants would say nothing" % (path, result))


def learn_times(bench, rooms):
    """Those of the last time where there are some, else by checking the baseline."""
    path = os.path.join(BUILD, "mutants.json")
    if os.path.exists(path):
        bench.seconds = json.load(open(path))
    if not all(any(name.startswith("tests/%s/" % room) for name in bench.seconds) for room in rooms):
        check_baseline(bench, rooms)
        json.dump(bench.seconds, open(path, "w"))


def known_survivors():
    path = os.path.join(ROOT, "scripts/mutants.txt")
    lines = open(path).read().split("\n") if os.path.exists(path) else []
    return {line.split("\t")[0] for line in lines if line and not line.startswith("#")}


def results(given, rooms, order):
    """Name and fate of each mutant, as they end; --jobs of them at a time, each in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        first = Bench(tempfile.mkdtemp(dir=folder), given)
        learn_times(first, rooms)

        def fate(number):
            site = order[number]
            text, name = mutate(open(os.path.join(ROOT, site[0])).read(), site)
            bench = Bench(tempfile.mkdtemp(dir=folder), given)
            bench.seconds = first.seconds
            return number, name, bench.run(site[0], text)
        numbers = [int(n) for n in given.only.split(",")] if given.only else range(given.first, len(order))
        for done in concurrent.futures.as_completed([pool.submit(fate, n) for n in numbers]):
            number, name, result = done.result()
            print("%3d  %s  %s" % (number, name, result), flush=True)
            yield name, result


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="leave out the first of the sample")
    parser.add_argument("--only", help="numbers of the sample, such as those that survived: 3,17,20")
    parser.add_argument("--rooms", default="math,material,sparse,ode")
    parser.add_argument("--limit", type=int, default=60, help="processor seconds for one test program")
    parser.add_argument("--longest", type=float, default=5, help="tests that take more seconds are left out")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--least", type=float, default=80)
    parser.add_argument("--list", action="store_true", help="show the sample only")
    given = parser.parse_args()

    chance = random.Random(given.seed)
    rooms = given.rooms.split(",")
    sample = []
    for room in rooms:
        files = sorted(glob.glob(ROOT + "/src/%s/*.c" % room) + (glob.glob(ROOT + "/src/math/*.h") if room == "math" else []))
        found = [s for f in files for s in sites(os.path.relpath(f, ROOT))]
        chance.shuffle(found)
        sample.append(found[:(given.count + len(rooms) - 1) // len(rooms)])
    # the rooms take turns, so that a part of the sample is a sample as well
    order = [s[i] for i in range(max(map(len, sample))) for s in sample if i < len(s)]

    if given.list:
        for number, site in list(enumerate(order))[given.first:]:
            print("%3d  %s" % (number, mutate(open(os.path.join(ROOT, site[0])).read(), site)[1]))
        return 0
    known, killed, survived = known_survivors(), 0, 0
    for name, result in results(given, rooms, order):
        killed += result.startswith("killed")
        survived += result == "survived" and name not in known
    total = killed + survived
    share = 100.0 * killed / total if total else 100.0
    print("%d mutants count, %d killed: %.1f %%" % (total, killed, share))
    return share < given.least


if __name__ == "__main__":
    sys.exit(main())
