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
echo "$count headers, ${#compilers[@]} compilers"
exit $bad
