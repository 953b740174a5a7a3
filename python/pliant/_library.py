"""The C library: where it is found, its declarations, and its errors as exceptions."""
import ctypes.util
import hashlib
import os

import cffi

ffi = cffi.FFI()
_here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(_here, "declarations.cdef")) as _file:
    _declarations = _file.read()
ffi.cdef(_declarations)


def _candidates():
    """Places of libpliant, the most explicit first."""
    if "PLIANT_LIBRARY" in os.environ:
        yield os.environ["PLIANT_LIBRARY"]
        return
    yield os.path.join(_here, "libpliant.so")
    yield os.path.join(_here, "..", "..", "build", "release", "libpliant.so")
    found = ctypes.util.find_library("pliant")
    if found:
        yield found


def _checked(library, path):
    """The library, if its structs and functions are those that this package knows."""
    known = hashlib.md5(_declarations.encode()).hexdigest()
    try:
        found = ffi.string(library.pl_declarations()).decode()
    except AttributeError:  # older than this function
        found = None
    if found != known:
        raise ImportError(f"{path} was built from other declarations than this package ({_here}): install both from "
                          "the same version, or name the right library in the environment variable PLIANT_LIBRARY")
    return library


def _open():
    for path in _candidates():
        if os.path.isabs(path) and not os.path.exists(path):
            continue
        return _checked(ffi.dlopen(path), path), path
    raise ImportError("libpliant.so was not found: install it (make install), or name it in the "
                      "environment variable PLIANT_LIBRARY")


lib, path = _open()


class Error(Exception):
    """A call of the library that failed. Beside its sentence: file and line where there are any,
    entity (number of the node or element concerned, or None) and time (s, or None)."""

    def __init__(self, message, file=None, line=None, entity=None, time=None):
        super().__init__(f"{file}:{line}: {message}" if file else message)
        self.message, self.file, self.line = message, file, line
        self.entity, self.time = entity, time

    def __reduce__(self):
        return type(self), (self.message, self.file, self.line, self.entity, self.time)


def _exception(name):
    """The class of one status, such as MeshError for PL_E_MESH."""
    words = name[len("PL_E_"):].title().replace("_", "")
    text = text_of(lib.pl_status_text(getattr(lib, name)))
    return type(words + "Error", (Error,), {"__doc__": text.capitalize() + ".", "__module__": "pliant"})


def text_of(pointer):
    """A C string as str; None where it is NULL."""
    return None if pointer == ffi.NULL else ffi.string(pointer).decode("utf-8", "replace")


exceptions = {number: _exception(name)
              for number, name in ffi.typeof("pl_status").elements.items() if name.startswith("PL_E_")}


def call(function, *arguments):
    """Calls a function of the library that ends with an error's place, and raises what it says."""
    error = ffi.new("pl_error *")
    status = function(*arguments, error)
    if status == lib.PL_OK:
        return
    raise exceptions[status](text_of(error.message), text_of(error.source) or None, error.line or None,
                             None if error.entity < 0 else error.entity,
                             None if error.time != error.time else error.time)
