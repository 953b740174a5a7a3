#!/usr/bin/env bash
# Every public header compiles alone, and twice over, as C17 and as C++17 without a warning.
set -eu
cd "$PLIANT_SOURCE"
flags=(-Wall -Wextra -Werror -pedantic -fsyntax-only -Iinclude)
bad=0 count=0
compilers=("${CC:-cc} -std=c17 -x c")
command -v g++ >/dev/null && compilers+=("g++ -std=c++17 -x c++")

for header in include/pliant/*.h; do
  count=$((count + 1))
  name=pliant/$(basename "$header")
  for compiler in "${compilers[@]}"; do
    # shellcheck disable=SC2086
    printf '#include "%s"\n#include "%s"\n' "$name" "$name" | $compiler "${flags[@]}" - || {
      echo "$header does not compile with $compiler"
      bad=1
    }
  done
done
# other systems' targets: the headers ask for no more than stddef.h and stdint.h, which come with clang
if command -v clang >/dev/null; then
  for target in x86_64-pc-windows-msvc x86_64-apple-macos12 arm64-apple-macos12 wasm32-unknown-emscripten i686-linux-gnu; do
    for language in "c -std=c17" "c++ -std=c++17"; do
      # shellcheck disable=SC2086
      printf '#include "%s"\n' pliant/world.h pliant/scene.h pliant/mesh.h |
        clang --target=$target -ffreestanding -nostdlibinc -x $language "${flags[@]}" - || {
        echo "the headers do not compile for $target as $language"
        bad=1
      }
    done
    compilers+=("$target")
  done
fi
echo "$count headers, ${#compilers[@]} compilers"
exit $bad
