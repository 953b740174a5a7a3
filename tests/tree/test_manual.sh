#!/usr/bin/env bash
# The manual can be made, all its links lead somewhere, its scenes run, and everything is in it: public headers, commands, pages of docs/.
set -u
/usr/bin/python3 -c 'import markdown' 2>/dev/null || {
  echo "skipped: markdown is not there (apt-get install python3-markdown)"
  exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$PLIANT_SOURCE" || exit
/usr/bin/python3 scripts/docs.py "$PLIANT_COMMAND" "$work/docs" || exit 1
bad=0
for header in include/pliant/*.h; do
  name=$(basename "$header" .h)
  for function in $(grep -oE '\bpl_[a-z_]+\(' "$header" | sort -u | head -200); do
    grep -qF "${function%(}" "$work/docs/api/$name.html" || { echo "$function is not in api/$name.html"; bad=1; }
  done
done
for page in docs/*.md docs/*/*.md; do
  [ -s "$work/docs/${page%.md}.html" ] || { echo "$page is not there"; bad=1; }
done
[ -s "$work/docs/docs/tutorials/"*first-body-*.png ] || { echo "no picture of the first tutorial"; bad=1; }
exit $bad
