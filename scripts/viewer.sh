#!/usr/bin/env bash
# The viewer in a headless browser: viewer.sh bench measures it, viewer.sh picture makes the one of
# the README. Both need what its tests need (install-deps.sh check) and a release build.
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
picture) exec node tests/view/picture.mjs scenes/zoo.xml docs/viewer.png bunny ;;
*)
  echo "usage: viewer.sh bench | picture" >&2
  exit 2
  ;;
esac
