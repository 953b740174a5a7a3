#!/usr/bin/env bash
# Runs every fuzz target for some seconds: fuzz.sh SECONDS. New inputs are kept in
# build/fuzz/corpus/NAME, those that break something in build/fuzz/broken.
set -u
cd "$(dirname "$0")/.." || exit
seconds=$1
failed=0
mkdir -p build/fuzz/broken

for source in tests/fuzz/fuzz_*.c; do
  name=$(basename "$source" .c)
  name=${name#fuzz_}
  program=build/fuzz/tests/fuzz_$name
  corpus=build/fuzz/corpus/$name log=build/fuzz/$name.log
  mkdir -p "$corpus"
  arguments=(-max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1
    -artifact_prefix="build/fuzz/broken/$name-")
  [ -e "tests/fuzz/$name.dict" ] && arguments+=(-dict="tests/fuzz/$name.dict")
  echo "$name: $seconds s"
  if "$program" "${arguments[@]}" "$corpus" "tests/fuzz/corpus/$name" >"$log" 2>&1; then
    echo "  nothing found in $(sed -n 's/stat::number_of_executed_units: *//p' "$log") runs"
  else
    failed=1
    tail -40 "$log"
    echo "  BROKEN: see build/fuzz/broken and $log"
  fi
done
exit $failed
