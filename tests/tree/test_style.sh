#!/usr/bin/env bash
# What the house asks of every file: no way out of the process and no printing in the library,
# files of at most 600 lines, functions of at most 120 and mostly far fewer; a type has one name and a name one type, and
# structs have at most 30 members.
set -eu
cd "$PLIANT_SOURCE"
bad=0
complain() {
  echo "$1"
  bad=1
}

# the library ends no process and prints nothing; comments and strings may speak of it
banned='\b(exit|_Exit|_exit|quick_exit|abort|assert|printf|vprintf|puts|putchar|perror|longjmp)\s*\('
banned+='|\b(stdout|stderr)\b'
for file in $(grep -rlE "$banned" src --include="*.[ch]"); do
  hits=$("${CC:-cc}" -fpreprocessed -dD -E "$file" 2>/dev/null | sed 's/"\([^"\\]\|\\.\)*"//g' |
    grep -E "$banned" || true)
  [ -z "$hits" ] || complain "$file: not in a library: $hits"
done

# a function's body stands between braces in the first column
files=$(find src include cli tests bench examples \( -name '*.c' -o -name '*.h' \) 2>/dev/null | sort)
# shellcheck disable=SC2086
long=$(awk 'FNR == 1 { start = 0 } /^{/ { start = FNR } /^}/ && start { if (FNR - start + 1 > 120)
  print FILENAME ":" start ": a function of " FNR - start + 1 " lines, more than 120"; start = 0 }
  FNR == 601 { print FILENAME ": more than 600 lines; make two files of it" }' $files)
[ -z "$long" ] || complain "$long"

# most functions are short: half of them have at most 10 lines, all but one in a hundred at most 45
# shellcheck disable=SC2046
sizes=$(awk 'FNR == 1 { start = 0 } /^{/ { start = FNR } /^}/ && start { print FNR - start + 1; start = 0 }' \
  $(find src cli -name '*.[ch]') | sort -n)
read -r median p99 < <(awk '{ size[NR] = $1 } END { print size[int(NR / 2)], size[int(0.99 * NR)] }' <<<"$sizes")
[ "$median" -le 10 ] && [ "$p99" -le 45 ] || complain "functions became long: median $median lines, 99 % below $p99"

# a name of a type means one thing
headers=$(find src include -name '*.h' | sort)
# shellcheck disable=SC2086
twice=$(grep -hoE '^((typedef )?struct pl_[a-z_0-9]+ \{|\} pl_[a-z_0-9]+;)' $headers |
  sed -E 's/^typedef //' | sort | uniq -d) || true
[ -z "$twice" ] || complain "types that two headers define: $twice"

# structs have at most 30 members, counted by their names: "int a, b;" are two, a struct within one is one
# shellcheck disable=SC2086
crowded=$(for file in $headers; do
  "${CC:-cc}" -fpreprocessed -dD -E -P "$file" 2>/dev/null |
    sed 's/extern "C" {//' | tr '\n' ' ' | awk -v file="$file" '{
    depth = round = names = 0
    count = split($0, letters, "")
    for (i = 1; i <= count; i++) {
      letter = letters[i]
      if (letter == "(") round++
      if (letter == ")") round--
      if (letter == "}" && --depth == 0 && names > 30)
        print file ": struct " of " has " names " members"
      if (letter == "{" && depth++ == 0) {
        head = substr($0, i > 60 ? i - 60 : 1, i > 60 ? 60 : i - 1)
        names = match(head, /struct [a-z_0-9]* $/) ? 0 : -10000
        of = substr(head, RSTART + 7)
      }
      if (depth == 1 && !round && (letter == ";" || letter == ",")) names++
    }
  }'
done)
[ -z "$crowded" ] || complain "$crowded"

echo "$(wc -w <<<"$files") files, functions of $median lines in the median, 99 % below $p99"
exit $bad
