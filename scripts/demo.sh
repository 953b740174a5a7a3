#!/usr/bin/env bash
# Runs a scene with the built command and ends with what there is to open: demo.sh SCENE.
set -eu
cd "$(dirname "$0")/.."
scene=$1
folder=out/$(basename "$scene" .xml)

build/release/pliant run "$scene" -o "$folder"

echo
echo "Open in a browser or an image viewer:"
find "$PWD/$folder" -maxdepth 1 \( -name '*.svg' -o -name '*.png' \) | sort | sed 's/^/  /'
frames=$(find "$PWD/$folder" -maxdepth 1 -name '*.pvd' | sort | sed 's/^/  /')
[ -z "$frames" ] || printf 'The frames, for ParaView:\n%s\n' "$frames"
