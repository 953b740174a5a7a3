#!/usr/bin/env bash
# docs/promises.md quotes every promise of the README and names tests that exist.
set -u
cd "$PLIANT_SOURCE" || exit
list=docs/promises.md bad=0 count=0
complain() {
  echo "$1"
  bad=1
}

# the README's bullets, one per line
promises=$(sed -n '/^## What it promises/,/^## Read on/p' README.md | sed '/^##/d; /^$/d' |
  awk '/^\* / { if (line) print line; line = substr($0, 3); next }
    { sub(/^ +/, ""); line = line " " $0 } END { print line }')
while IFS= read -r promise; do
  count=$((count + 1))
  grep -qxF "> $promise" "$list" || complain "$list does not have the README's: $promise"
done <<<"$promises"
[ "$(grep -c '^> ' "$list")" = "$count" ] || complain "$list quotes what the README does not say"

# `room/file`: `test`; ... and `room/file`
tests=0
while read -r name case; do
  tests=$((tests + 1))
  file=tests/${name%/*}/test_${name#*/}
  if [ -n "$case" ]; then
    grep -q "^TEST($case)" "$file.c" 2>/dev/null || complain "$list: there is no test $case in $name"
  else
    [ -e "$file.c" ] || [ -e "$file.sh" ] || complain "$list: there is no test $name"
  fi
done < <(grep '^\* ' "$list" | grep -oE '`[a-z]+/[a-z_]+`(: `[a-z_0-9]+`)?' | tr -d '`:')

echo "$count promises, $tests tests"
[ "$tests" -gt 20 ] || complain "$list was not understood"
exit $bad
