#!/usr/bin/env bash
# Measures the figures of docs/performance.md and docs/solvers.md on this machine and writes them into
# bench/results/*.csv and the tables of the docs: bench/figures.sh [ROUNDS]. Nothing else should run beside
# it; it takes about ROUNDS (default 3) times four minutes, and some more for auto against choices by hand.
set -eu
cd "$(dirname "$0")/.."
rounds=${1:-3}
pliant=${PLIANT_COMMAND:-build/release/pliant}
results=bench/results
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# measure NAME [ARGUMENT...]: all rounds of a bench one below the other, with the round in the first column
measure() {
  local name=$1
  shift
  for ((round = 1; round <= rounds; round++)); do
    echo "---- $name, round $round of $rounds ----"
    "$pliant" bench "$@" --csv "$work/one.csv"
    if [ "$round" = 1 ]; then sed '1s/^/round,/; q' "$work/one.csv" >"$work/$name.csv"; fi
    sed "1d; s/^/$round,/" "$work/one.csv" >>"$work/$name.csv"
  done
  mv "$work/$name.csv" "$results/$name.csv"
}

measure steps
measure steps-block-diagonal --preconditioner block-diagonal
measure kernels kernels
measure contact contact
# counts, the same in every round
"$pliant" bench contact-solves --csv "$results/contact-solves.csv"
"$pliant" bench friction --csv "$results/friction.csv"
measure materials materials
measure haptics haptics
measure hexes hexes
measure grids grids
measure cloth cloth
measure solvers solvers
# beside Bullet, where that is installed
if [ -x build/release/bench/bench-bullet-pile ]; then build/release/bench/bench-bullet-pile 160 "$results/pile.csv"; fi
if [ -x build/release/bench/bench-cholmod ]; then
  build/release/bench/bench-cholmod 7 >"$results/cholmod.csv"
fi
# ends with 1 where auto misses its goal; the table shows where
bench/choice.py --pliant "$pliant" --rounds "$((rounds > 7 ? rounds : 7))" --csv "$results/choice.csv" || true

model=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | head -1)
cat >"$results/machine.csv" <<END
processor,processors,date,rounds,source
"${model:-unknown}",$(nproc),$(date -u +%Y-%m-%d),$rounds,$("$pliant" --version | tr -d '\n')
END
bench/tables.py
