#!/usr/bin/env bash
# The measured tables of the docs are those of bench/results/*.csv.
cd "$PLIANT_SOURCE" || exit
command -v python3 >/dev/null || { echo "there is no python3"; exit 77; }
python3 bench/tables.py --check
