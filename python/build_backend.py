"""Builds wheels and source archives by Python's own library alone (PEP 517), so that "pip install ."
works without a network: the shared library and the command are made by CMake and lie in the wheel.

Settings, as environment variables:
    PLIANT_BUILD          a finished build folder to take both from, in place of a build of its own
    PLIANT_CMAKE          more words for CMake, for example "-DPLIANT_WITH_HDF5=ON"
    PLIANT_WITHOUT_LIBRARY=1   Python files only, for systems that have the library as a package (PLIANT_BUILD then
                          serves to find the types)
    SOURCE_DATE_EPOCH     the time of all files, so that the same sources give the same bytes
"""
import base64
import hashlib
import os
import re
import shutil
import stat
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import time
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
REQUIRES = ("cffi>=1.15", "numpy")


def _version():
    with open(os.path.join(ROOT, "include", "pliant", "base.h")) as file:
        return ".".join(re.findall(r"#define PL_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", file.read()))


def _metadata():
    with open(os.path.join(ROOT, "docs", "python.md")) as file:
        about = file.read()
    lines = ["Metadata-Version: 2.1", "Name: pliant", f"Version: {_version()}",
             "Summary: Simulates deformable bodies", "License: MIT", "Requires-Python: >=3.9",
             *(f"Requires-Dist: {each}" for each in REQUIRES), "Description-Content-Type: text/markdown", "", about]
    return "\n".join(lines)


def _tag():
    if os.environ.get("PLIANT_WITHOUT_LIBRARY"):
        return "py3-none-any"
    return "py3-none-" + re.sub(r"[^a-z0-9]", "_", sysconfig.get_platform().lower())


def _moment():
    return time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", "1577836800")), 315532800))[:6]


def _built(work):
    """A folder with libpliant.so and pliant. What a wheel takes along must be found elsewhere too, so
    that of the optional libraries only zlib is used."""
    if os.environ.get("PLIANT_BUILD") or os.environ.get("PLIANT_WITHOUT_LIBRARY"):
        return os.path.abspath(os.environ.get("PLIANT_BUILD", "build/release"))
    words = ["cmake", "-S", ROOT, "-B", work, "-DCMAKE_BUILD_TYPE=Release", "-DPLIANT_TESTS=OFF",
             "-DPLIANT_WITH_SUNDIALS=OFF", "-DPLIANT_WITH_HDF5=OFF"]
    words += ["-G", "Ninja"] if shutil.which("ninja") else []
    subprocess.run(words + os.environ.get("PLIANT_CMAKE", "").split(), check=True)
    subprocess.run(["cmake", "--build", work, "--parallel", str(os.cpu_count()), "--target", "pliant_wheel"], check=True)
    return work


def _python_files():
    """Files of the package, and where they go."""
    folder = os.path.join(HERE, "pliant")
    for name in sorted(os.listdir(folder)):
        if name.endswith((".py", ".cdef")) or name == "py.typed":
            yield os.path.join(folder, name), f"pliant/{name}"


def _stubs(built):
    """Types for editors, from the package as it runs; by the Python that will run it, not by that of an isolated build,
    which has neither numpy nor cffi."""
    hidden = ("PYTHONPATH", "PYTHONNOUSERSITE")
    surroundings = {name: value for name, value in os.environ.items() if name not in hidden}
    surroundings.update(PYTHONDONTWRITEBYTECODE="1", PLIANT_LIBRARY=os.path.join(built, "libpliant.so"))
    told = subprocess.run([sys.executable, os.path.join(HERE, "stubs.py"), "-"], env=surroundings, capture_output=True)
    if told.returncode == 0:
        return told.stdout
    print("pliant: without type stubs, which need numpy and cffi now: " + told.stderr.decode().strip().split("\n")[-1])
    return None


class _Wheel:
    def __init__(self, path):
        self.file, self.records = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED), []

    def add(self, name, data, mode=0o644):
        info = zipfile.ZipInfo(name, _moment())
        info.external_attr = (stat.S_IFREG | mode) << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        self.file.writestr(info, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.records.append(f"{name},sha256={digest},{len(data)}")

    def add_file(self, path, name, mode=0o644):
        with open(path, "rb") as file:
            self.add(name, file.read(), mode)

    def close(self, place):
        self.records.append(f"{place},,")
        self.add(place, ("\n".join(self.records) + "\n").encode())
        self.file.close()


def _information():
    """What a wheel says of itself: names and contents of files."""
    pure = "true" if _tag().endswith("any") else "false"
    with open(os.path.join(ROOT, "LICENSE"), "rb") as file:
        return {"METADATA": _metadata().encode(),
                "WHEEL": f"Wheel-Version: 1.0\nGenerator: pliant\nRoot-Is-Purelib: {pure}\nTag: {_tag()}\n".encode(),
                "LICENSE": file.read()}


def _write_wheel(folder, fill):
    name = f"pliant-{_version()}-{_tag()}.whl"
    info = f"pliant-{_version()}.dist-info"
    wheel = _Wheel(os.path.join(folder, name))
    fill(wheel)
    for each, data in _information().items():
        wheel.add(f"{info}/{each}", data)
    wheel.close(f"{info}/RECORD")
    return name


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """So that what is missing is told before anything is compiled."""
    info = f"pliant-{_version()}.dist-info"
    os.makedirs(os.path.join(metadata_directory, info))
    for each, data in _information().items():
        with open(os.path.join(metadata_directory, info, each), "wb") as file:
            file.write(data)
    return info


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with tempfile.TemporaryDirectory() as work:
        def fill(wheel):
            for path, name in _python_files():
                wheel.add_file(path, name)
            built = _built(work)
            stubs = _stubs(built)
            if stubs:
                wheel.add("pliant/__init__.pyi", stubs)
            if os.environ.get("PLIANT_WITHOUT_LIBRARY"):
                return
            wheel.add_file(os.path.realpath(os.path.join(built, "libpliant.so")), "pliant/libpliant.so", 0o755)
            wheel.add_file(os.path.join(built, "pliant"), f"pliant-{_version()}.data/scripts/pliant", 0o755)
        return _write_wheel(wheel_directory, fill)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """A path to the sources; the library is that of build/release."""
    return _write_wheel(wheel_directory, lambda wheel: wheel.add("pliant-sources.pth", (HERE + "\n").encode()))


def build_sdist(sdist_directory, config_settings=None):
    name = f"pliant-{_version()}"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        raise RuntimeError("a source archive is made from a clone: git ls-files failed")
    with tarfile.open(os.path.join(sdist_directory, name + ".tar.gz"), "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path in listed.stdout.split("\0"):
            if path and not path.startswith(("tests/", "docs/reproduction/")):
                archive.add(os.path.join(ROOT, path), f"{name}/{path}", recursive=False)
        with tempfile.NamedTemporaryFile("w", suffix="PKG-INFO") as info:
            info.write(_metadata())
            info.flush()
            archive.add(info.name, f"{name}/PKG-INFO")
    return name + ".tar.gz"


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_sdist = get_requires_for_build_editable = get_requires_for_build_wheel
