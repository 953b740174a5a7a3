#!/usr/bin/env bash
# The Python package over the library that was just built.
set -u
python=/usr/bin/python3
$python -c 'import cffi, numpy' 2>/dev/null || {
  echo "skipped: cffi and numpy are not there (apt-get install python3-cffi python3-numpy)"
  exit 77
}
# a sanitizer's runtime would have to be loaded before Python itself
if nm -D "$PLIANT_BUILD/libpliant.so" | grep -qE '__(asan|tsan)_init'; then
  echo "skipped: the library is built with a sanitizer"
  exit 77
fi
export PLIANT_LIBRARY=$PLIANT_BUILD/libpliant.so PYTHONPATH=$PLIANT_SOURCE/python PYTHONDONTWRITEBYTECODE=1
cd "$(mktemp -d)" || exit 1
trap 'rm -rf "$PWD"' EXIT
export PLIANT_SOURCE PLIANT_COMMAND
$python "$PLIANT_SOURCE/python/generate.py" --check && $python -m unittest discover -s "$PLIANT_SOURCE/tests/python" -t "$PLIANT_SOURCE/tests/python"
