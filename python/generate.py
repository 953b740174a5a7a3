#!/usr/bin/env python3
"""Writes what the package takes from the public headers: pliant/declarations.cdef, what they declare
as cffi reads it, and pliant/_members.py, what their comments say of the members of def structs.

    python3 python/generate.py            writes the files
    python3 python/generate.py --check    fails if a file is not what the headers say
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


def _comment(text):
    return re.sub(r"\s+", " ", " ".join(re.findall(r"/\*(.*?)\*/", text, re.S))).strip()


def _members_of(body):
    """Name and comment of every member; one that follows others of its line has theirs."""
    found = []
    # a member ends with ; and its comments, which may go on in further lines
    for match in re.finditer(r"([^;]*?);((?:[ \t]*/\*.*?\*/\s*?\n?|[ \t]*\n)*)", body, re.S):
        declared = re.sub(r"/\*.*?\*/", " ", match.group(1), flags=re.S)
        comment = _comment(match.group(1) + match.group(2))
        pointer = re.search(r"\(\*(\w+)\)", declared)
        names = [pointer.group(1)] if pointer else [
            re.sub(r"\[.*", "", part).split()[-1].lstrip("*") for part in declared.split(",") if part.strip()]
        found += [(name, comment) for name in names]
    return found


def members():
    """{struct: {member: comment}} of all structs whose members are keywords."""
    found = {}
    for name in sorted(os.listdir(os.path.join(HEADERS, "pliant"))):
        with open(os.path.join(HEADERS, "pliant", name)) as file:
            text = file.read()
        for struct, body in re.findall(r"typedef struct (pl_\w+_def) \{([^}]*)\n\} \1;", text):
            found[struct] = dict(_members_of(body))
    lines = ['"""What the public headers say of the members of def structs; made by python/generate.py."""', "", "MEMBERS = {"]
    for struct, names in found.items():
        lines.append(f"    {struct!r}: {{")
        lines += [f"        {name!r}: {comment!r}," for name, comment in names.items() if name != "cookie"]
        lines.append("    },")
    return "\n".join(lines) + "\n}\n"


def main():
    outputs, old = {OUTPUT: declarations(), os.path.join(HERE, "pliant", "_members.py"): members()}, []
    for path, text in outputs.items():
        if "--check" not in sys.argv[1:]:
            with open(path, "w") as file:
                file.write(text)
        elif not os.path.exists(path) or open(path).read() != text:
            old.append(os.path.relpath(path))
    if old:
        print(f"{', '.join(old)}: old; run python3 python/generate.py")
    return 1 if old else 0


if __name__ == "__main__":
    sys.exit(main())
