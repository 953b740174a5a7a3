#!/usr/bin/env bash
# The viewer in a headless browser: viewer.sh bench measures what serving costs, viewer.sh frames how
# evenly the page draws beside a simulation at full speed, viewer.sh attack whether
# attackers change the bits or the time of a step (ten minutes), viewer.sh picture makes the one of the README.
# All need what its tests need (install-deps.sh check) and a release build.
set -eu
cd "$(dirname "$0")/.."
export PLIANT_SOURCE=$PWD PLIANT_COMMAND=${PLIANT_COMMAND:-$PWD/build/release/pliant}
PLIANT_BROWSER=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
  echo "there is no Chromium (Debian: chromium)" >&2
  exit 1
}
export PLIANT_BROWSER
case ${1:-} in
bench) exec node tests/view/bench.mjs ;;
attack) shift; exec node tests/view/attack.mjs "$@" ;;
frames) shift; exec node tests/view/frames.mjs "$@" ;;
picture) exec node tests/view/picture.mjs scenes/zoo.xml docs/viewer.png bunny ;;
*)
  echo "usage: viewer.sh bench | attack [SECONDS] | frames [cloth] [undrawn] [WIDTHxHEIGHT [THREADS]...] | picture" >&2
  exit 2
  ;;
esac
