#!/usr/bin/env bash
# Values that were never set and are used all the same, which the sanitizers of "make check" do not
# see: every test program that ends within a second runs again under valgrind.
# memcheck.sh [ROOM...] needs a finished build/release (scripts/build.sh release).
set -u
cd "$(dirname "$0")/.." || exit
command -v valgrind >/dev/null || { echo "valgrind is not installed (Debian: valgrind)"; exit 1; }
export PLIANT_SOURCE=$PWD PLIANT_COMMAND=$PWD/build/release/pliant
rooms=("$@")
[ $# -gt 0 ] || rooms=(body core couple io material math mesh model ode picture scene shape sparse world)
checked=0 slow=0 bad=0

# check PROGRAM: only valgrind's findings count; its long double has 64 bits, and so some tests fail
check() {
  local log=build/memcheck.log
  timeout 1 "$1" >/dev/null 2>&1
  [ $? -ne 124 ] || { slow=$((slow + 1)); return; }
  checked=$((checked + 1))
  timeout 300 valgrind --quiet --error-exitcode=99 "$1" >"$log" 2>&1
  [ $? -eq 99 ] || return
  bad=$((bad + 1))
  echo "---- $1 ----"
  grep '^==' "$log" | head -n 40
}

for room in "${rooms[@]}"; do
  for program in build/release/tests/"${room}"_test_*; do
    [ ! -x "$program" ] || check "$program"
  done
done
echo "$checked programs, $bad with findings; $slow take longer than a second"
[ $bad -eq 0 ] && [ $checked -gt 0 ]
