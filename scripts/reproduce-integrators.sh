#!/usr/bin/env bash
# Runs the studies of the integrators and writes docs/reproduction/integrators.md from their results.
#   scripts/reproduce-integrators.sh [PLIANT] [FOLDER]
# Needs a build with SUNDIALS (references).
# Results that are in FOLDER (default out/studies) already are not made again.
set -eu
cd "$(dirname "$0")/.."
pliant=${1:-build/release/pliant}
results=${2:-out/studies}
page=docs/reproduction/integrators.md

for study in hauth-bar hauth-bar-explicit hauth-bar-solvers hauth-newton hauth-25hz hauth-motion hauth-control \
  hauth-shear hauth-shear-explicit hauth-shear-solvers hauth-hold stability-bar stability-shear; do
  "$pliant" study "studies/$study.xml" -o "$results/$study" --progress off -q
done

# the lines of a section of results.md, without its heading
table() {
  awk -v title="## $2" '$0 == title { on = 1; next } /^## / { on = 0 } on' "$results/$1/results.md" |
    sed -e '/./,$!d'
}
for plot in hauth-bar/work hauth-bar/order hauth-bar-explicit/work hauth-bar-solvers/bdf3 hauth-motion/tip \
  hauth-control/work hauth-shear/work hauth-newton/order; do
  cp "$results/$plot.svg" "docs/reproduction/${plot//\//-}.svg"
done

# a line "@ STUDY TITLE" of the template becomes that table
while IFS= read -r line; do
  case $line in
  "@ "*) read -r _ study title <<<"$line" && table "$study" "$title" ;;
  *) printf '%s\n' "$line" ;;
  esac
done <docs/reproduction/integrators.in >"$page.part"
mv "$page.part" "$page"
echo "$page"
