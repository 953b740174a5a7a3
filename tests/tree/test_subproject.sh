#!/usr/bin/env bash
# Pliant as a part of another CMake project, by add_subdirectory and by FetchContent: it can be configured, has the
# same target as an installation, and brings neither command nor tests.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for way in "add_subdirectory($PLIANT_SOURCE pliant)" \
  "include(FetchContent)
FetchContent_Declare(pliant SOURCE_DIR $PLIANT_SOURCE)
FetchContent_MakeAvailable(pliant)"; do
  rm -rf "$folder"/*
  cat >"$folder/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.20)
project(stranger LANGUAGES C)
$way
add_executable(bar $PLIANT_SOURCE/examples/bar.c)
target_link_libraries(bar PRIVATE pliant::pliant m)
add_executable(bar_static $PLIANT_SOURCE/examples/bar.c)
target_link_libraries(bar_static PRIVATE pliant::pliant_static)
END
  cmake -S "$folder" -B "$folder/out" -G "Unix Makefiles" -DCMAKE_BUILD_TYPE=Release >"$folder/log" 2>&1 || {
    cat "$folder/log"
    exit 1
  }
  make -C "$folder/out" help >"$folder/targets"
  for target in bar bar_static pliant pliant_static; do grep -qx "... $target" "$folder/targets"; done
  ! grep -qE '\.\.\. (pliant_command|manuals|world_test_world|bench-bullet)$' "$folder/targets" || {
    echo "more than the library is built: $(tail -n +2 "$folder/targets" | tr '\n' ' ')"
    exit 1
  }
  grep -q 'libpliant.so' "$folder"/out/CMakeFiles/bar.dir/link.txt
  grep -q 'libpliant_static.a' "$folder"/out/CMakeFiles/bar_static.dir/link.txt
done
