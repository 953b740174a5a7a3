#!/usr/bin/env bash
# The decks in the tree are those that calculix.py and locking.py write today.
set -eu
cd "$PLIANT_SOURCE/tests/validation"
if ! command -v python3 >/dev/null; then
  echo "python3 is not installed"
  exit 77
fi
for deck in decks/*.inp; do
  program=calculix.py
  case $deck in */cook-* | */block-*) program=locking.py ;; esac
  python3 "$program" deck "$(basename "$deck" .inp)" | cmp - "$deck"
done
