#!/usr/bin/env bash
# Bits must not depend on the C library: in every room whose results can reach the state, nothing is
# called from libm but what IEEE 754 prescribes to the last bit (sqrt, floor, fmod, frexp ...), neither
# in the sources nor in the objects.
# math/functions.h has the others.
set -eu
cd "$PLIANT_SOURCE"
words='sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|exp|exp2|expm1|log|log2|log10|log1p|pow|cbrt|hypot|tgamma|erf'
rooms=(math sparse ode mesh material model body shape couple world haptic scene)
files=0 bad=0
for room in "${rooms[@]}"; do
  for file in src/"$room"/*.[ch] src/"$room"/*/*.[ch]; do
    [ -e "$file" ] || continue
    files=$((files + 1))
    # without comments; a name that is a member or part of another word is no call
    found=$(sed 's:/\*.*\*/::; s://.*::; /^ \*/d; /^\/\*/d' "$file" |
      grep -nE "(^|[^A-Za-z0-9_.>])($words)[fl]?\(" || true)
    [ -z "$found" ] && continue
    echo "$file: $found"
    bad=1
  done
done
[ $bad = 0 ] || echo "the lines above call libm, whose bits differ between machines: see math/functions.h"
# the same of what the compiler made of them: what the objects ask for
objects=0
for room in "${rooms[@]}"; do
  while read -r object; do
    objects=$((objects + 1))
    found=$(nm -u "$object" | grep -oE " U (_?_?($words|sincos|exp10)[fl]?(_finite)?)(@.*)?$" || true)
    [ -z "$found" ] && continue
    echo "$object asks for$(echo "$found" | sed 's/ U//' | tr '\n' ' ')"
    bad=1
  done < <(find "$PLIANT_BUILD/CMakeFiles" -path "*/pliant_*.dir/src/$room/*.o")
done
[ "$objects" -gt 50 ] || { echo "only $objects objects found in $PLIANT_BUILD"; bad=1; }
# musl's have 32 bits where gcc's atomic ones have 64
if grep -rnE 'u?int_fast(16|32)_t' src cli web include; then
  echo "the lines above use types whose size is the C library's: uint32_t and _Atomic(uint32_t) have one"
  bad=1
fi
echo "$files files, $objects objects"
[ "$files" -gt 50 ] || bad=1
exit $bad
