#!/usr/bin/env bash
# The same bits from every build: same-bits.sh [--update] [VARIANT...]. Builds the command in each
# variant, runs the scenes of tests/validation/bits.txt for 8 steps and compares the hashes of their states; --update
# takes all of scenes/ but those in real time, which give up work by the clock.
#
#   release   gcc -O3, as in tests
#   given     $PLIANT_COMMAND as it is
#   O0        gcc -O0
#   native    gcc -O3 -march=native
#   clang     clang -O3
#   plain     gcc -O3 without the AVX2 variants of the hot files, and without glibc's use of FMA
#   musl      gcc -O2 with the C library musl                        (Debian: musl-tools)
#   aarch64   Debian's cross compiler at -O1, run by qemu-user       (gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user)
#   wasm      emscripten, run by node                                (emscripten nodejs)
#
# Without arguments: all that can be built here. BITS_SCENES="duck press" takes these only; BITS_STEPS=200 makes so
# many steps and compares with the release build. Run with 1, 2, 3 and 8 threads in turns (wasm: one).
set -u
cd "$(dirname "$0")/.." || exit
golden=tests/validation/bits.txt
update=0
[ "${1:-}" != --update ] || { update=1; shift; }
variants=("$@")
[ $# -gt 0 ] || variants=(release O0 native clang plain musl aarch64 wasm)
threads=(1 2 3 8)
steps=${BITS_STEPS:-8}
qemu=$(command -v qemu-aarch64-static qemu-aarch64 | head -n 1)

# build VARIANT: into build/bits-VARIANT; 1 with a sentence where it cannot be done here
build() {
  local flags=()
  case $1 in
  given) return 0 ;;
  release) scripts/build.sh release pliant_command && return 0; failed=1; return 1 ;;
  wasm)
    scripts/wasm.sh pliant_command && return 0
    [ $? = 77 ] || { echo "wasm: DOES NOT BUILD"; failed=1; }
    return 1
    ;;
  musl)
    command -v musl-gcc >/dev/null || { echo "musl: left out, install musl-tools"; return 1; }
    flags=(-DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O2 -DCMAKE_C_COMPILER=musl-gcc -DCMAKE_EXE_LINKER_FLAGS=-static
      -DPLIANT_WITH_ZLIB=OFF -DPLIANT_HARDEN=OFF)
    ;;
  O0) flags=(-DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0) ;;
  native) flags=("-DCMAKE_C_FLAGS=-march=native") ;;
  clang)
    command -v clang >/dev/null || { echo "clang: left out, it is not installed"; return 1; }
    flags=(-DCMAKE_C_COMPILER=clang)
    ;;
  plain) flags=(-DPLIANT_WITH_AVX2=OFF) ;;
  aarch64)
    command -v aarch64-linux-gnu-gcc >/dev/null && [ -n "$qemu" ] ||
      { echo "aarch64: left out, install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user"; return 1; }
    # at -O1, which compiles in a fifth of the time
    flags=(-DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O1 -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64
      -DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc -DCMAKE_EXE_LINKER_FLAGS=-static -DPLIANT_WITH_ZLIB=OFF -DPLIANT_HARDEN=OFF)
    ;;
  *) echo "$1: no such variant"; exit 2 ;;
  esac
  cmake -S . -B "build/bits-$1" -G Ninja -DPLIANT_TESTS=OFF -DPLIANT_WITH_VIEW=OFF -DPLIANT_WITH_SUNDIALS=OFF \
    -DPLIANT_WITH_HDF5=OFF "${flags[@]}" >"build/bits-$1.log" 2>&1 &&
    cmake --build "build/bits-$1" -j "${BITS_JOBS:-$(nproc)}" --target pliant_command >>"build/bits-$1.log" 2>&1 && return 0
  tail -20 "build/bits-$1.log"
  echo "$1: DOES NOT BUILD"
  failed=1
  return 1
}

# command VARIANT ARGUMENT...
command_of() {
  local variant=$1
  shift
  case $variant in
  given) "$PLIANT_COMMAND" "$@" ;;
  release) build/release/pliant "$@" ;;
  wasm) node --no-experimental-fetch build/wasm/pliant.js "$@" ;;
  aarch64) "$qemu" build/bits-aarch64/pliant "$@" ;;
  plain) GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4 "build/bits-$variant/pliant" "$@" ;;
  *) "build/bits-$variant/pliant" "$@" ;;
  esac
}

# hash_of VARIANT SCENE THREADS: after the steps
hash_of() {
  local step out=$work/out
  step=$(grep -o '<world[^>]*' "scenes/$2.xml" | sed -n 's/.*[ \t]dt="\([^"]*\)".*/\1/p')
  [ "$step" != auto ] || step=0.0166666666666666666
  rm -rf "$out"
  command_of "$1" run --no-picture -q --threads "$3" --cache off -o "$out" "scenes/$2.xml" \
    --set "world.duration=$(awk "BEGIN { printf \"%.17g\", $steps * $step }")" >"$work/log" 2>&1
  sed -n 's/.*"state_hash": "\([0-9a-f]*\)".*/\1/p' "$out/summary.json" 2>/dev/null
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
mkdir -p build
mapfile -t scenes < <(if [ $update = 1 ]; then grep -L 'real-time="yes"' scenes/*.xml | xargs basename -s .xml; else cut -d' ' -f1 "$golden"; fi)
[ -z "${BITS_SCENES:-}" ] || read -rd '' -a scenes <<<"$BITS_SCENES"
for variant in "${variants[@]}"; do
  build "$variant" || continue
  same=0 number=0
  for scene in "${scenes[@]}"; do
    number=$((number + 1))
    count=${threads[number % 4]}
    [ "$variant" != wasm ] || count=1
    found=$(hash_of "$variant" "$scene" "$count")
    if [ $update = 1 ]; then
      sed -i "/^$scene /d" "$golden" 2>/dev/null
      echo "$scene $found" >>"$golden"
      continue
    fi
    if [ "$steps" = 8 ]; then known=$(sed -n "s/^$scene //p" "$golden"); else known=$(hash_of release "$scene" 2); fi
    if [ -n "$found" ] && [ "$found" = "$known" ]; then
      same=$((same + 1))
    else
      echo "$variant: scenes/$scene.xml after $steps steps: ${found:-no hash ($(tail -n 1 "$work/log"))}, not ${known:-in $golden}"
      failed=1
    fi
  done
  [ $update = 1 ] || echo "$variant: $same of ${#scenes[@]} scenes have the same bits"
done
[ $update = 0 ] || sort -o "$golden" "$golden"
exit $failed
