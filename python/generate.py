#!/usr/bin/env python3
"""Writes pliant/declarations.cdef: what the public headers declare, as cffi reads it.

    python3 python/generate.py            writes the file
    python3 python/generate.py --check    fails if the file is not what the headers say
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
HEADERS = os.path.join(HERE, "..", "include")
OUTPUT = os.path.join(HERE, "pliant", "declarations.cdef")


def declarations():
    """The headers after the preprocessor, without those of the C library and without PL_API."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("stddef.h", "stdint.h"):
            open(os.path.join(folder, name), "w").close()
        command = [os.environ.get("CC", "cc"), "-E", "-P", "-U__GNUC__", "-nostdinc", "-I" + folder,
                   "-I" + HEADERS, "-xc", os.path.join(HEADERS, "pliant", "scene.h")]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    text = re.sub(r"\s+", " ", text).strip()
    # one declaration a line: split behind each ; that is outside of braces
    lines, depth, start = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter == "{") - (letter == "}")
        if letter == ";" and depth == 0:
            lines.append(text[start:place + 1].strip())
            start = place + 1
    return "/* Made from include/pliant by python/generate.py. */\n" + "\n".join(lines) + "\n"


def main():
    text = declarations()
    if "--check" not in sys.argv[1:]:
        with open(OUTPUT, "w") as file:
            file.write(text)
        return 0
    with open(OUTPUT) as file:
        same = file.read() == text
    if not same:
        print("python/pliant/declarations.cdef is old: run python3 python/generate.py")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
