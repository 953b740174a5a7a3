#!/usr/bin/env bash
# The page of "pliant view": build-viewer.sh packages gets what it is made with, once;
# build-viewer.sh bundle FILE.c makes it and writes it as C.
set -eu
cd "$(dirname "$0")/../viewer"

case ${1:-} in
packages)
  # npm writes this file when it is done
  mark=node_modules/.package-lock.json
  [ -e "$mark" ] && [ ! package-lock.json -nt "$mark" ] && exit 0
  # several builds may come here at once
  exec 9>.packages.lock
  flock 9
  [ -e "$mark" ] && [ ! package-lock.json -nt "$mark" ] && exit 0
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
  touch "$mark"
  ;;
bundle)
  node build.mjs "$2"
  ;;
*)
  echo "usage: build-viewer.sh packages | bundle FILE.c" >&2
  exit 2
  ;;
esac
