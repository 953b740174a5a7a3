#!/usr/bin/env bash
# The shared library exports exactly the functions that the public headers declare, each name
# begins with pl_, and each function is called with wrong arguments by a test.
set -eu
library=$PLIANT_BUILD/libpliant.so
if grep -q '^PLIANT_SANITIZE:STRING=.' "$PLIANT_BUILD/CMakeCache.txt"; then
  echo "a sanitizer adds symbols of its own"
  exit 77
fi

exported=$(nm -D --defined-only "$library" | awk '{ print $3 }' | sort -u)
# declarations without comments and directives, then the last word before the first parenthesis
declared=$(for header in "$PLIANT_SOURCE"/include/pliant/*.h; do
  "${CC:-cc}" -fpreprocessed -dD -E -P "$header" 2>/dev/null | grep -v '^ *#'
done | tr '\n' ' ' |
  grep -oE 'PL_API [^;(]*\(' | grep -oE '\w+ *\($' | tr -d ' (' | sort -u)

bad=0
# complain_if_any SENTENCE NAMES
complain_if_any() {
  [ -z "$2" ] && return 0
  echo "$1:"
  echo "$2"
  bad=1
}

complain_if_any "exported without the prefix pl_" "$(grep -v '^pl_' <<<"$exported" || true)"
complain_if_any "declared but not exported" "$(comm -13 <(echo "$exported") <(echo "$declared"))"
complain_if_any "exported but in no public header" "$(comm -23 <(echo "$exported") <(echo "$declared"))"
complain_if_any "not in tests/scene/test_arguments.c or test_defs.c" "$(for name in $declared; do
  grep -qw "$name" "$PLIANT_SOURCE"/tests/scene/{stage.h,test_arguments.c,test_defs.c} || echo "$name"
done)"
echo "$(wc -l <<<"$exported") symbols exported, $(wc -l <<<"$declared") functions declared"
exit $bad
