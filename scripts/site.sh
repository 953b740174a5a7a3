#!/usr/bin/env bash
# The page without a server into build/site and the npm package into build/npm: site.sh [--check]. --check tests both in
# node and headless Chromium and compares their sizes with what they may have.
set -eu
cd "$(dirname "$0")/.."
scripts/wasm.sh session world session-threads
scripts/build-viewer.sh packages
node --no-experimental-fetch web/split.mjs build/wasm/web scenes
node --no-experimental-fetch viewer/site.mjs build/site build/wasm/web scenes
version=$(sed -n 's/#define PL_VERSION_\(MAJOR\|MINOR\|PATCH\) //p' include/pliant/base.h | paste -sd.)
node web/npm.mjs build/npm build/wasm/web . "$version"
[ "${1:-}" = --check ] || exit 0
export PLIANT_SOURCE=$PWD PLIANT_COMMAND=$PWD/build/release/pliant PLIANT_PICTURES=$PWD/build/site-pictures
PLIANT_BROWSER=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || { echo "there is no Chromium"; exit 1; }
export PLIANT_BROWSER
mkdir -p "$PLIANT_PICTURES"
scripts/build.sh release pliant_command
node tests/web/sizes.mjs build/site build/npm
bash tests/web/package.sh build/npm
node tests/web/site.mjs build/site
