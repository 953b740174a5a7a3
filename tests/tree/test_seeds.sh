#!/usr/bin/env bash
# Every fuzz target has at least 20 seeds, every folder of seeds a target.
set -eu
cd "$PLIANT_SOURCE/tests/fuzz"
bad=0 targets=0
for file in fuzz_*.c; do
  name=$(basename "$file" .c)
  name=${name#fuzz_}
  targets=$((targets + 1))
  count=$(find "corpus/$name" -type f 2>/dev/null | wc -l)
  [ "$count" -ge 20 ] || {
    echo "corpus/$name has $count seeds; 20 are needed"
    bad=1
  }
done
for folder in corpus/*; do
  [ -e "fuzz_$(basename "$folder").c" ] || {
    echo "$folder has no target"
    bad=1
  }
done
echo "$targets targets"
exit $bad
