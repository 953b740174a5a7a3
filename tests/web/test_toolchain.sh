#!/usr/bin/env bash
# The compiler for WebAssembly, where there is one, makes right code with the flags of the build.
set -eu
grep -q '^PLIANT_SANITIZE:STRING=.' "$PLIANT_BUILD/CMakeCache.txt" && { echo "skipped: looked at in the release build"; exit 77; }
command -v emcc >/dev/null && command -v node >/dev/null ||
  { echo "skipped: emscripten is not installed (apt-get install emscripten); \"make bits\" and \"make site\" use it"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$PLIANT_SOURCE/scripts/wasm.sh" --toolchain "$work"
