#!/usr/bin/env bash
# Every study of studies/: its smallest case runs, and all its tables are written. What make reproduce does, in short.
# label: release
. "${PLIANT_SOURCE:?}/tests/cli/begin.sh"

for file in "$PLIANT_SOURCE"/studies/*.xml; do
  name=$(basename "$file" .xml)
  if "$pliant" study "$file" --smallest -q --progress off -o "out/$name" 2>stderr; then ok; else
    grep -q 'needs SUNDIALS' stderr && continue
    bad "$name: $(cat stderr)"
    continue
  fi
  [ "$(wc -l <"out/$name/results.csv")" -eq 2 ] && ok || bad "$name: not one case"
  [ "$(grep -c '<table' "$file")" -eq "$(grep -c '^## ' "out/$name/results.md")" ] && ok || bad "$name: tables are missing"
done

# the page of all of them
if command -v python3 >/dev/null; then
  (cd "$PLIANT_SOURCE" && python3 scripts/report.py "$work/out" "$work/report.html") >stdout || bad "no report"
  for file in "$PLIANT_SOURCE"/studies/*.xml; do
    grep -q "id=\"$(basename "$file" .xml)\"" report.html && ok || bad "$file is not in the report"
  done
  grep -q '<svg' report.html && ok || bad "no plot in the report"
  grep -q 'was not run' report.html && bad "$(grep 'was not run' stdout)"
fi

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
