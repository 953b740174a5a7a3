#!/usr/bin/env bash
# Bits must not depend on the C library: in every room whose results can reach the state, nothing is
# called from libm but what IEEE 754 prescribes to the last bit (sqrt, floor, fmod, frexp ...), neither
# in the sources nor in the objects.
# math/functions.h has the others.
set -eu
cd "$PLIANT_SOURCE"
words='sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|exp|exp2|expm1|log|log2|log10|log1p|pow|cbrt|hypot|tgamma|erf'
rooms=(math sparse ode mesh material model body shape couple world haptic scene)
bad=0
mapfile -t files < <(for room in "${rooms[@]}"; do find "src/$room" -name '*.[ch]'; done)
# without comments; a name that is a member or part of another word is no call
if awk -v call="(^|[^A-Za-z0-9_.>])($words)[fl]?[(]" '
  /^ \*/ || /^\/\*/ { next }
  { line = $0; gsub(/\/\*.*\*\//, "", line); sub(/\/\/.*/, "", line) }
  line ~ call { print FILENAME ":" FNR ": " $0; found = 1 }
  END { exit !found }' "${files[@]}"; then
  bad=1
fi
[ $bad = 0 ] || echo "the lines above call libm, whose bits differ between machines: see math/functions.h"
# the same of what the compiler made of them: what the objects ask for
mapfile -t objects < <(for room in "${rooms[@]}"; do
  find "$PLIANT_BUILD/CMakeFiles" -path "*/pliant_*.dir/src/$room/*.o"
done)
if nm -A -u "${objects[@]}" | grep -E " U (_?_?($words|sincos|exp10)[fl]?(_finite)?)(@.*)?$"; then
  echo "the objects above ask for libm"
  bad=1
fi
[ ${#objects[@]} -gt 50 ] || { echo "only ${#objects[@]} objects found in $PLIANT_BUILD"; bad=1; }
# musl's have 32 bits where gcc's atomic ones have 64
if grep -rnE 'u?int_fast(16|32)_t' src cli web include; then
  echo "the lines above use types whose size is the C library's: uint32_t and _Atomic(uint32_t) have one"
  bad=1
fi
echo "${#files[@]} files, ${#objects[@]} objects"
[ ${#files[@]} -gt 50 ] || bad=1
exit $bad
