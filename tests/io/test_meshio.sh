#!/bin/bash
# An independent judge: meshio reads every file that we write and we read what meshio writes; where
# gmsh is there, it reads our .msh files too. Skipped (77) without meshio.
set -eu
python=/usr/bin/python3
convert=$PLIANT_BUILD/tests/io_convert
if ! $python -c 'import meshio' 2>/dev/null; then
  echo "skipped: meshio is not there (apt-get install python3-meshio)"
  exit 77
fi
if ! "$convert" "$PLIANT_SOURCE/tests/fuzz/corpus/vtu/meshio-b.vtu" >/dev/null; then
  echo "skipped: this build does not read compressed .vtu files"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
$python "$PLIANT_SOURCE/tests/io/meshio_judge.py" "$convert" "$PLIANT_SOURCE/tests/io/data" "$folder"

if command -v gmsh >/dev/null; then
  for file in "$folder"/ours-*.msh; do
    # gmsh renumbers the nodes, so only counts are compared: nodes, elements, members of each set
    gmsh "$file" -0 -v 2 -format msh41 -o "$folder/again.msh"
    counts() { "$convert" "$1" | awk 'NR == 1 || /^(nodes|elements) / {
      print NR == 1 ? $0 : $1 " " $2 " " NF }' | sort; }
    if [ "$(counts "$file")" != "$(counts "$folder/again.msh")" ]; then
      echo "gmsh reads $file in another way:"
      diff <(counts "$file") <(counts "$folder/again.msh")
      exit 1
    fi
  done
  echo "gmsh agrees"
else
  echo "gmsh is not there: left out"
fi
