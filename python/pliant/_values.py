"""Python's values as members of the library's structs.

Every def struct (pl_body_def and so on) becomes keyword arguments: the names of its members are
those of the keywords, and their C types say what is accepted. So what a header gains can be used
here without a further line.
"""
import numpy

from ._library import ffi
from .families import Member

# lists whose count has another name than their own with "_count" behind it
_COUNTS = {"parts": "part_count", "maps": "map_count", "motions": "motion_count", "keys": "key_count",
           "sites": "site_count", "hanging": "hanging_count", "site_regions": "site_count",
           "times": "count", "factors": "count", "particles": "particle_count", "fibres": "fibre_count"}
_INTERNAL = ("cookie", "context", "allocator", "report", "report_context")


def count_name(name):
    """The member that says how many a list has."""
    return _COUNTS.get(name, name + "_count")


def numbers(value, ctype, keep):
    """An array of the library's type from anything that numpy takes; kept alive by the list."""
    kind = {"double": numpy.float64, "int": numpy.intc, "float": numpy.float32}[ctype]
    array = numpy.ascontiguousarray(value, dtype=kind)
    pointer = ffi.from_buffer(f"{ctype}[]", array)
    keep.append(pointer)
    return pointer, array


def text(value, keep):
    pointer = ffi.new("char[]", str(value).encode())
    keep.append(pointer)
    return pointer


def as_choice(struct, value, keep):
    """A name, or a member with its settings: pliant.law.hooke(young=1e6, poisson=0.3)."""
    if isinstance(value, str):
        value = Member(value, {})
    if not isinstance(value, Member):
        raise TypeError(f"{value!r} is neither the name of a member nor one like pliant.law.hooke(...)")
    struct.name = text(value.name, keep)
    settings = ffi.new("pl_setting[]", max(1, len(value.settings)))
    keep.append(settings)
    for place, (name, setting) in enumerate(value.settings.items()):
        settings[place].name = text(name, keep)
        if isinstance(setting, str):
            settings[place].word = text(setting, keep)
            continue
        given = numpy.atleast_1d(numpy.asarray(setting, dtype=float))
        if given.ndim != 1 or given.size not in (1, 3):
            raise TypeError(f"{value.name}: {name} takes one or three numbers, or a word")
        settings[place].value[0:given.size] = list(given)
    struct.settings, struct.setting_count = settings, len(value.settings)


def as_selector(struct, value, keep):
    """The name of a set of the mesh, or a region: pliant.region.box(...)."""
    if isinstance(value, str):
        struct.set = text(value, keep)
    else:
        as_choice(struct.region, value, keep)


def as_ramp(struct, value, keep):
    """Pairs of a time and a factor."""
    pairs = numpy.asarray(value, dtype=float).reshape(-1, 2)
    struct.count = len(pairs)
    struct.times = numbers(pairs[:, 0], "double", keep)[0]
    struct.factors = numbers(pairs[:, 1], "double", keep)[0]


_STRUCTS = {"pl_choice": as_choice, "pl_selector": as_selector, "pl_ramp": as_ramp}


def _as_struct(struct, kind, value, keep):
    if hasattr(value, "_fill"):
        value._fill(struct, keep)
    elif hasattr(value, "_id"):
        copy_id(struct, value._id)
    elif kind in _STRUCTS:
        _STRUCTS[kind](struct, value, keep)
    elif isinstance(value, dict):
        fill(struct, value, keep)
    else:
        raise TypeError(f"{value!r} does not fit {kind}: a dict of its members does")


def copy_id(struct, from_id):
    struct.index1, struct.generation = from_id.index1, from_id.generation


def _as_list(struct, name, field, value, keep):
    """An array and its count; of structs also a single one."""
    item = field.type.item
    if item.kind == "primitive":
        pointer, array = numbers(value, item.cname, keep)
        count = array.size if item.cname == "int" else len(array)
    else:
        values = list(value) if isinstance(value, (list, tuple)) else [value]
        pointer = ffi.new(f"{item.cname.removeprefix('const ')}[]", max(1, len(values)))
        keep.append(pointer)
        for place, each in enumerate(values):
            _as_struct(pointer[place], item.cname.removeprefix("const "), each, keep)
        count = len(values)
    setattr(struct, name, pointer)
    counted = count_name(name)
    if counted in dict(ffi.typeof(struct).fields if ffi.typeof(struct).kind == "struct"
                       else ffi.typeof(struct).item.fields):
        setattr(struct, counted, count)


def _as_word(field, value):
    """An enumerator by its last word: "axis" for PL_HINGE_AXIS."""
    if not isinstance(value, str):
        return int(value)
    for number, name in field.type.elements.items():
        if name.lower().endswith("_" + value.lower().replace("-", "_")):
            return number
    raise ValueError(f"{value!r} is none of {', '.join(sorted(field.type.elements.values()))}")


def _set(struct, name, field, value, keep):
    kind = field.type
    if kind.kind == "struct":
        _as_struct(getattr(struct, name), kind.cname, value, keep)
    elif kind.kind == "enum":
        setattr(struct, name, _as_word(field, value))
    elif kind.kind == "array":
        array = getattr(struct, name)
        if kind.item.kind == "struct":
            if len(value) > kind.length:
                raise ValueError(f"{name} takes {kind.length}, not {len(value)}")
            for place, each in enumerate(value):
                _as_struct(array[place], kind.item.cname, each, keep)
            setattr(struct, count_name(name), len(value))
        else:
            given = list(value)
            if len(given) > kind.length:
                raise ValueError(f"{name} takes {kind.length} numbers, not {len(given)}")
            array[0:len(given)] = given
    elif kind.kind != "pointer":
        setattr(struct, name, value)
    elif kind.cname in ("char *", "char const *"):
        setattr(struct, name, text(value, keep))
    elif hasattr(value, "_pointer"):
        keep.append(value)
        setattr(struct, name, value._pointer)
    else:
        _as_list(struct, name, field, value, keep)


def fields(struct):
    """Name and type of every member that a user sets."""
    kind = ffi.typeof(struct)
    kind = kind.item if kind.kind == "pointer" else kind
    return {name: field for name, field in kind.fields if name not in _INTERNAL}


def fill(struct, values, keep):
    """Sets the members that are named; a name that the struct does not have is a TypeError."""
    known = fields(struct)
    for name, value in values.items():
        if value is None:
            continue
        if name not in known:
            raise TypeError(f"there is no {name!r} here; known are {', '.join(sorted(known))}")
        _set(struct, name, known[name], value, keep)


def plain(struct):
    """A struct of numbers as a dict: arrays as numpy's, structs as dicts."""
    result = {}
    for name, field in fields(struct).items():
        value = getattr(struct, name)
        if field.type.kind == "array" and field.type.item.cname != "char":
            value = numpy.array(list(value))
        elif field.type.kind == "struct":
            value = plain(value)
        result[name] = value
    return result
