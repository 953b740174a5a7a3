#!/usr/bin/env bash
# Builds one preset of CMakePresets.json: build.sh PRESET [TARGET...]. Configures only when the
# presets are newer than the build; CMake itself notices all other changes.
set -eu
cd "$(dirname "$0")/.."
preset=$1
shift

ninja=build/$preset/build.ninja
if [ ! -e "$ninja" ] || [ CMakePresets.json -nt "$ninja" ]; then
  mkdir -p build
  if ! cmake --preset "$preset" >"build/$preset.log" 2>&1; then
    cat "build/$preset.log"
    exit 1
  fi
fi

# one line that moves on a terminal, only what went wrong elsewhere
quiet=
[ -t 1 ] || quiet=--quiet
cmake --build "build/$preset" --parallel "$(nproc)" ${1:+--target "$@"} -- $quiet
