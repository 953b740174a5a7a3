#!/usr/bin/env python3
"""Writes pliant/__init__.pyi: types of everything public, for editors and type checkers, from the
package as it runs (families and keywords come from the library's tables).

    python3 python/stubs.py            writes the file, for those who work with the source tree
    python3 python/stubs.py -          prints it; wheels and Debian's package are made so
"""
import inspect
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import pliant  # noqa: E402

OUTPUT = os.path.join(HERE, "pliant", "__init__.pyi")


def text_of(annotation):
    if annotation is inspect.Parameter.empty:
        return "Any"
    if isinstance(annotation, str):
        return annotation
    text = annotation.__name__ if isinstance(annotation, type) and not getattr(annotation, "__args__", None) else str(annotation)
    text = re.sub(r"\btyping\.|\bpliant\.\w+\.", "", text)
    return text.replace("NoneType", "None")


def signature_of(function, method=True):
    try:
        signature = inspect.signature(function)
    except ValueError:
        return "(self) -> Any" if method else "() -> Any"
    parts, starred = [], False
    for place, p in enumerate(signature.parameters.values()):
        if place == 0 and p.name in ("self", "cls"):
            parts.append(p.name)
            continue
        if p.kind is p.KEYWORD_ONLY and not starred:
            parts.append("*")
            starred = True
        starred |= p.kind is p.VAR_POSITIONAL
        mark = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        parts.append(f"{mark}{p.name}: {text_of(p.annotation)}" + (" = ..." if p.default is not p.empty else ""))
    answer = signature.return_annotation
    name = getattr(function, "__name__", "")
    told = "None" if name == "__init__" else text_of(answer)
    return f"({', '.join(parts)}) -> {told}"


def doc_of(thing, indent):
    doc = inspect.getdoc(thing)
    if not doc:
        return []
    lines = doc.replace('\\', '\\\\').replace('"""', "'''").splitlines()
    return [f'{indent}"""' + lines[0]] + [(indent + line).rstrip() for line in lines[1:]] + [f'{indent}"""']


def class_of(cls):
    base = cls.__bases__[0]
    named = base.__name__ if base is not object and (base.__module__.startswith("pliant") or base is Exception) else ""
    yield f"class {cls.__name__}{f'({named})' if named else ''}:"
    yield from doc_of(cls, "    ")
    if cls is pliant.Error:
        yield from ("    message: str", "    file: Optional[str]", "    line: Optional[int]", "    entity: Optional[int]",
                    "    time: Optional[float]", "    all: list[str]")
    if cls is pliant.View:
        yield from (f"    {name}: numpy.ndarray" for name in ("positions", "velocities", "stress", "order"))
        yield from ("    forces: Optional[numpy.ndarray]", "    live: bool")
    if cls in (pliant.Body, pliant.Handle):
        yield "    world: World"
    if cls is pliant.Member:
        yield from ("    name: str", "    settings: dict[str, Any]")
    if cls is pliant.Environment:
        yield "    world: World"
    if cls.__name__ == "Viewer":
        yield from ("    url: str", "    messages: list[str]")
    for name, member in vars(cls).items():
        if name.startswith("_") and name != "__init__":
            continue
        if isinstance(member, property):
            yield "    @property"
            yield f"    def {name}(self) -> {text_of(inspect.signature(member.fget).return_annotation)}:"
            yield from doc_of(member, "        ")
            yield "        ..."
            if member.fset is not None:
                yield f"    @{name}.setter"
                yield f"    def {name}(self, value: Any) -> None: ..."
        elif isinstance(member, classmethod):
            yield "    @classmethod"
            yield f"    def {name}{signature_of(member.__func__)}:"
            yield from doc_of(member.__func__, "        ")
            yield "        ..."
        elif inspect.isfunction(member):
            yield f"    def {name}{signature_of(member)}:"
            yield from doc_of(member, "        ")
            yield "        ..."
    yield "    ..."
    yield ""


def family_of(name, family):
    title = "".join(word.title() for word in name.split("_")) + "Family"
    yield f"class {title}(Family):"
    for member in family:
        maker = family[member]
        text = signature_of(maker, False)
        text = "(self" + (", " if text[1] != ")" else "") + text[1:]
        yield f"    def {maker.__name__}{text}:"
        yield from doc_of(maker, "        ")
        yield "        ..."
    yield ""
    yield f"{name}: {title}"
    yield ""


def stub():
    lines = ['"""Made by python/stubs.py."""', "import os", "from typing import Any, Callable, Iterator, Literal, Mapping, Optional, Sequence, Union",
             "", "import numpy", "", "__version__: str", "families: dict[str, Family]", ""]
    from pliant.viewer import Viewer
    lines += class_of(pliant.Error)
    for name, each in sorted(vars(pliant).items()):
        if inspect.isclass(each) and issubclass(each, pliant.Error) and each is not pliant.Error:
            lines += class_of(each)
    lines += ["class Family:", '    """All members that can stand in one place."""', "    name: str", "    summary: str",
              "    def __iter__(self) -> Iterator[str]: ...", "    def __len__(self) -> int: ...",
              "    def __getitem__(self, name: str) -> Callable[..., Member]: ...", ""]
    for cls in (pliant.Member, pliant.Mesh, pliant.OwnLaw, pliant.Material, pliant.Handle, pliant.Effect, pliant.Link, pliant.Obstacle, pliant.Pull,
                pliant.Probe, pliant.Spot, pliant.View, pliant.Body, pliant.World, Viewer, pliant.Scene, pliant.Run, pliant.Environment):
        lines += class_of(cls)
    lines += [f"def step_all{signature_of(pliant.step_all, False)}:", *doc_of(pliant.step_all, "    "), "    ...", ""]
    for name, family in pliant.families.items():
        lines += family_of(name, family)
    return "\n".join(lines).replace("Where]", "Union[str, Member]]").replace(": Where", ": Union[str, Member]") + "\n"


def main():
    if sys.argv[1:] == ["-"]:
        sys.stdout.write(stub())
        return 0
    with open(OUTPUT, "w") as file:
        file.write(stub())
    return 0


if __name__ == "__main__":
    sys.exit(main())
