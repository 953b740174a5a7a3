#!/usr/bin/env bash
# The same bits from every build: same-bits.sh [--update] [VARIANT...]. Builds the command in each
# variant, runs the scenes of tests/validation/bits.txt for 8 steps and compares the hashes of their states; --update
# takes all of scenes/ but those in real time, which give up work by the clock, and the bars of tests/validation.
#
#   release       gcc -O3, as in tests
#   given         $PLIANT_COMMAND as it is
#   O0            gcc -O0
#   native        gcc -O3 -march=native
#   clang         clang -O3
#   plain         gcc -O3 without the AVX2 variants of the hot files, and without glibc's use of FMA
#   musl          gcc -O2 with the C library musl                        (Debian: musl-tools)
#   aarch64       Debian's cross compiler at -O1, run by qemu-user       (gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user)
#   wasm          emscripten, run by node                                (emscripten nodejs)
#   wasm-threads  the same with threads
#
# Without arguments: all that can be built here. BITS_SCENES="duck press" takes these only. Scenes have 1, 2, 3 and 8 threads in
# turns, bars 1 and 2 (wasm: one).
#
# BITS_STEPS=200 makes so many steps and compares with the release build. Scenes that would take a variant more than
# BITS_SECONDS (60), by what the release build took and how much slower it is, are left out and named.
set -u
cd "$(dirname "$0")/.." || exit
golden=tests/validation/bits.txt
update=0
[ "${1:-}" != --update ] || { update=1; shift; }
variants=("$@")
[ $# -gt 0 ] || variants=(release O0 native clang plain musl aarch64 wasm wasm-threads)
threads=(1 2 3 8)
steps=${BITS_STEPS:-8} most=${BITS_SECONDS:-60} limit=0 # seconds; 0: any
qemu=$(command -v qemu-aarch64-static qemu-aarch64 | head -n 1)
declare -A slower=([O0]=10 [plain]=2 [musl]=2 [aarch64]=40 [wasm]=3 [wasm-threads]=3)

# build VARIANT: into build/bits-VARIANT; 1 with a sentence where it cannot be done here
build() {
  local flags=()
  case $1 in
  given) return 0 ;;
  release) scripts/build.sh release pliant_command && return 0; failed=1; return 1 ;;
  wasm | wasm-threads)
    scripts/wasm.sh pliant_command pliant_threads && return 0
    [ $? = 77 ] || { echo "$1: DOES NOT BUILD"; failed=1; }
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

# command_of VARIANT ARGUMENT...
command_of() {
  local variant=$1
  shift
  case $variant in
  given) "$PLIANT_COMMAND" "$@" ;;
  release) timeout "$limit" build/release/pliant "$@" ;;
  wasm) node --no-experimental-fetch build/wasm/pliant.js "$@" ;;
  wasm-threads) node --no-experimental-fetch build/wasm/web/pliant-threads.js "$@" ;;
  aarch64) "$qemu" build/bits-aarch64/pliant "$@" ;;
  plain) GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4 "build/bits-$variant/pliant" "$@" ;;
  *) "build/bits-$variant/pliant" "$@" ;;
  esac
}

# file_of SCENE
file_of() {
  if [ -e "scenes/$1.xml" ]; then echo "scenes/$1.xml"; else echo "tests/validation/$1.xml"; fi
}

# hash_of VARIANT SCENE THREADS: after the steps
hash_of() {
  local file step out=$work/out
  file=$(file_of "$2")
  step=$(grep -o '<world[^>]*' "$file" | sed -n 's/.*[ \t]dt="\([^"]*\)".*/\1/p')
  [ "$step" != auto ] || step=0.0166666666666666666
  rm -rf "$out"
  command_of "$1" run --no-picture -q --threads "$3" --cache off -o "$out" "$file" \
    --set "world.duration=$(awk "BEGIN { printf \"%.17g\", $steps * $step }")" >"$work/log" 2>&1
  # a run that was ended by its limit tells the state where it stood
  grep -q '"completed": true' "$out/summary.json" 2>/dev/null &&
    sed -n 's/.*"state_hash": "\([0-9a-f]*\)".*/\1/p' "$out/summary.json"
}

# known_of SCENE: its hash as it must be; the release build's are computed once, with the processor seconds that they took
known_of() {
  [ "$steps" != 8 ] || { sed -n "s/^$1 //p" "$golden"; return; }
  grep -q "^$1 " "$work/known" || {
    local hash limit=$most TIMEFORMAT=%U
    hash=$({ time hash_of release "$1" 2; } 2>"$work/seconds")
    [ -n "$hash" ] || echo "$most" >"$work/seconds"
    echo "$1 ${hash:-none} $(tail -n 1 "$work/seconds")" >>"$work/known"
  }
  sed -n "s/^$1 \([0-9a-f]*\) .*/\1/p" "$work/known"
}

# is_too_long VARIANT SCENE: after known_of
is_too_long() {
  local seconds
  seconds=$(sed -n "s/^$2 .* //p" "$work/known")
  awk "BEGIN { exit !(${seconds:-0} * ${slower[$1]:-1} >= $most) }"
}

# compare VARIANT SCENE THREADS HASH
compare() {
  local found known=$4
  found=$(hash_of "$1" "$2" "$3")
  [ -n "$found" ] && [ "$found" = "$known" ] && return 0
  echo "$1: $(file_of "$2") with $3 threads after $steps steps: ${found:-no hash ($(tail -n 1 "$work/log"))}, not ${known:-in $golden}"
  failed=1
  return 1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
touch "$work/known"
failed=0
mkdir -p build
mapfile -t scenes < <(if [ $update = 1 ]; then grep -L 'real-time="yes"' scenes/*.xml tests/validation/bar-*.xml | xargs basename -as .xml; else cut -d' ' -f1 "$golden"; fi)
[ -z "${BITS_SCENES:-}" ] || read -rd '' -a scenes <<<"$BITS_SCENES"
[ "$steps" = 8 ] || build release || exit 1
for variant in "${variants[@]}"; do
  build "$variant" || continue
  same=0 number=0 left=
  for scene in "${scenes[@]}"; do
    number=$((number + 1))
    counts=("${threads[number % 4]}")
    [[ $scene != bar-* ]] || counts=(1 2)
    [ "$variant" != wasm ] || counts=(1)
    if [ $update = 1 ]; then
      sed -i "/^$scene /d" "$golden" 2>/dev/null
      echo "$scene $(hash_of "$variant" "$scene" "${counts[0]}")" >>"$golden"
      continue
    fi
    known=$(known_of "$scene")
    ! is_too_long "$variant" "$scene" || { left+=" $scene"; continue; }
    right=1
    for count in "${counts[@]}"; do compare "$variant" "$scene" "$count" "$known" || right=0; done
    same=$((same + right))
  done
  [ $update = 1 ] || echo "$variant: $same of $((${#scenes[@]} - $(wc -w <<<"$left"))) scenes have the same bits after $steps steps${left:+; too long:$left}"
done
[ $update = 0 ] || sort -o "$golden" "$golden"
exit $failed
