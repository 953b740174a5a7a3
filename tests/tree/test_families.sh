#!/usr/bin/env bash
# Every family that users choose from has a test that goes through its members, so that a new member
# is tested without another line.
set -u
cd "$PLIANT_SOURCE" || exit
bad=0 count=0
for family in $(grep -oE '&pl_[a-z]+_family' src/scene/families.c | tr -d '&'); do
  count=$((count + 1))
  kind=${family#pl_} kind=${kind%_family}
  # by the family, by number, or by the list itself
  tests=$(grep -lE "\b${family}\.members|\b${family}\b.*members|\bpl_${kind}_at\([a-z]|\bPL_${kind^^}S\(" tests/*/*.[ch] | wc -l)
  [ "$tests" -gt 0 ] || { echo "no test goes through all members of the family $kind"; bad=1; }
done
echo "$count families"
[ $count -gt 10 ] || { echo "src/scene/families.c was not understood"; bad=1; }
exit $bad
