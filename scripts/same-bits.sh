#!/usr/bin/env bash
# The same bits from every build: same-bits.sh [--update] [VARIANT...]. Builds the command in each
# variant, runs the scenes of tests/validation/golden.txt for 8 steps and compares the hashes of the states
# with those in tests/validation/bits.txt.
#
#   release   gcc -O3, as in tests
#   O0        gcc -O0
#   native    gcc -O3 -march=native
#   clang     clang -O3
#   plain     gcc -O3 without the AVX2 variants of the hot files, and without glibc's use of FMA
#   aarch64   Debian's cross compiler at -O1, run by qemu-user
#
# Without arguments: all that can be built here. What aarch64 needs and how to get it:
#   apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static
# libxml2 and zlib for arm64 are downloaded and unpacked below build/, not installed. BITS_SCENES="duck press" takes these only.
set -u
cd "$(dirname "$0")/.." || exit
golden=tests/validation/bits.txt
update=0
[ "${1:-}" != --update ] || { update=1; shift; }
variants=("$@")
[ $# -gt 0 ] || variants=(release O0 native clang plain aarch64)
threads=(1 2 3 8)

# packages for arm64 below build/arm64, from lists of their own
get_arm64() {
  local root=$PWD/build/arm64
  [ -e "$root/usr/include/libxml2" ] && return 0
  mkdir -p "$root/lists/partial" "$root/cache/archives/partial" "$root/deb"
  local options=(-qq -o "Dir::State::lists=$root/lists" -o "Dir::Cache=$root/cache" -o APT::Architecture=amd64
    -o APT::Architectures::=amd64 -o APT::Architectures::=arm64 -o Debug::NoLocking=1)
  apt-get "${options[@]}" update >/dev/null 2>&1 || return 1
  (cd "$root/deb" && apt-get "${options[@]}" download libxml2:arm64 libxml2-dev:arm64 zlib1g:arm64 zlib1g-dev:arm64 \
    liblzma5:arm64 libicu72:arm64 >/dev/null 2>&1) || return 1
  for package in "$root"/deb/*.deb; do dpkg -x "$package" "$root" || return 1; done
}

# build VARIANT: into build/bits-VARIANT; 1 with a sentence where it cannot be done here
build() {
  local flags=() root=$PWD/build/arm64 lib=$PWD/build/arm64/usr/lib/aarch64-linux-gnu
  case $1 in
  release) flags=(-DPLIANT_WERROR=ON) ;;
  O0) flags=(-DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0) ;;
  native) flags=("-DCMAKE_C_FLAGS=-march=native") ;;
  clang)
    command -v clang >/dev/null || { echo "clang: left out, it is not installed"; return 1; }
    flags=(-DCMAKE_C_COMPILER=clang)
    ;;
  plain) flags=(-DPLIANT_WITH_AVX2=OFF) ;;
  aarch64)
    command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64-static >/dev/null ||
      { echo "aarch64: left out, install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static"; return 1; }
    get_arm64 || { echo "aarch64: left out, libxml2 for arm64 cannot be downloaded"; return 1; }
    # at -O1, which compiles in a fifth of the time
    flags=(-DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O1 -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc
      "-DLIBXML2_LIBRARY=$lib/libxml2.so" "-DLIBXML2_INCLUDE_DIR=$root/usr/include/libxml2"
      "-DZLIB_LIBRARY=$lib/libz.a" "-DZLIB_INCLUDE_DIR=$root/usr/include"
      "-DCMAKE_EXE_LINKER_FLAGS=-Wl,-rpath-link,$lib:$root/lib/aarch64-linux-gnu")
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
  local variant=$1 root=$PWD/build/arm64
  shift
  case $variant in
  aarch64)
    qemu-aarch64-static -L /usr/aarch64-linux-gnu \
      -E "LD_LIBRARY_PATH=$root/usr/lib/aarch64-linux-gnu:$root/lib/aarch64-linux-gnu" build/bits-aarch64/pliant "$@"
    ;;
  plain) GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4 "build/bits-$variant/pliant" "$@" ;;
  *) "build/bits-$variant/pliant" "$@" ;;
  esac
}

# hash_of VARIANT SCENE THREADS: after 8 steps
hash_of() {
  local step out=$work/out
  step=$(grep -o '<world[^>]*' "scenes/$2.xml" | sed -n 's/.*[ \t]dt="\([^"]*\)".*/\1/p')
  [ "$step" != auto ] || step=0.0166666666666666666
  rm -rf "$out"
  command_of "$1" run --no-picture -q --threads "$3" --cache off -o "$out" "scenes/$2.xml" \
    --set "world.duration=$(awk "BEGIN { printf \"%.17g\", 8 * $step }")" >"$work/log" 2>&1
  sed -n 's/.*"state_hash": "\([0-9a-f]*\)".*/\1/p' "$out/summary.json" 2>/dev/null
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
mkdir -p build
mapfile -t scenes < <(sed -n 's/^\([a-z][^ ]*\) .*/\1/p' tests/validation/golden.txt)
[ -z "${BITS_SCENES:-}" ] || read -ra scenes <<<"$BITS_SCENES"
for variant in "${variants[@]}"; do
  build "$variant" || continue
  same=0 number=0
  for scene in "${scenes[@]}"; do
    number=$((number + 1))
    found=$(hash_of "$variant" "$scene" "${threads[number % 4]}")
    if [ $update = 1 ]; then
      sed -i "/^$scene /d" "$golden" 2>/dev/null
      echo "$scene $found" >>"$golden"
      continue
    fi
    known=$(sed -n "s/^$scene //p" "$golden")
    if [ -n "$found" ] && [ "$found" = "$known" ]; then
      same=$((same + 1))
    else
      echo "$variant: scenes/$scene.xml after 8 steps: ${found:-no hash ($(tail -n 1 "$work/log"))}, not ${known:-in $golden}"
      failed=1
    fi
  done
  [ $update = 1 ] || echo "$variant: $same of ${#scenes[@]} scenes have the same bits"
done
[ $update = 0 ] || sort -o "$golden" "$golden"
exit $failed
