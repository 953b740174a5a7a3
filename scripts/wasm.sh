#!/usr/bin/env bash
# Builds for WebAssembly into build/wasm: wasm.sh [TARGET...]. Needs emscripten (Debian: emscripten) and
# node; 77 where they are missing. Refuses a compiler that makes wrong code; wasm.sh --toolchain FOLDER does only that.
set -eu
cd "$(dirname "$0")/.."
command -v emcc >/dev/null && command -v node >/dev/null ||
  { echo "emscripten or node is not installed (Debian: apt-get install emscripten nodejs)"; exit 77; }
# Debian's emscripten looks for node's packages there, and its cache is complete
export NODE_PATH=${NODE_PATH:-/usr/share/nodejs}
unset EM_CACHE
# what stands before clang; a compiler cache must know of it
export EM_COMPILER_WRAPPER=$PWD/scripts/wasm-clang.sh CCACHE_EXTRAFILES=$PWD/scripts/wasm-clang.sh

# check_compiler FOLDER: its glue mistakes node for a browser where there is a fetch
check_compiler() {
  emcc -O3 -msimd128 -ffp-contract=off -c tests/web/splat.c -o "$1/splat.o" && emcc "$1/splat.o" -o "$1/splat.js" &&
    node --no-experimental-fetch "$1/splat.js"
}
[ "${1:-}" != --toolchain ] || { check_compiler "$2"; exit; }

mkdir -p build/wasm
if [ ! -e build/wasm/checked ] || [ tests/web/splat.c -nt build/wasm/checked ]; then
  check_compiler build/wasm
  touch build/wasm/checked
fi
[ build/wasm/build.ninja -nt "$EM_COMPILER_WRAPPER" ] || rm -rf build/wasm/{CMakeFiles,CMakeCache.txt,build.ninja}
if [ ! -e build/wasm/build.ninja ]; then
  emcmake cmake -S . -B build/wasm -G Ninja -DPLIANT_TESTS=OFF -DPLIANT_WITH_{VIEW,SUNDIALS,HDF5,ZLIB}=OFF \
    >build/wasm.log 2>&1 || { cat build/wasm.log; exit 1; }
fi
cmake --build build/wasm -j "$(nproc)" ${1:+--target "$@"} >build/wasm.log 2>&1 || { tail -30 build/wasm.log; exit 1; }

# no number is spread from memory (wasm-clang.sh); emscripten brings this tool along
dump=$(command -v llvm-objdump-14 llvm-objdump | head -n 1)
[ -n "$dump" ] || { echo "llvm-objdump is missing (Debian: llvm)"; exit 1; }
for module in build/wasm/pliant.wasm build/wasm/web/{session,session-threads,world,pliant-threads}.wasm; do
  [ ! -e "$module" ] || ! "$dump" -d "$module" | grep -q 'v128\.load[0-9]*_splat' ||
    { echo "$module has v128.load_splat, which clang 14 gets wrong: see scripts/wasm-clang.sh"; exit 1; }
done
