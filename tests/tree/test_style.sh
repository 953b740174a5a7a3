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

# a name of a type means one thing (pl_shape is still the shape of obstacles and of elements)
headers=$(find src include -name '*.h' | sort)
# shellcheck disable=SC2086
twice=$(grep -hoE '^((typedef )?struct pl_[a-z_0-9]+ \{|\} pl_[a-z_0-9]+;)' $headers |
  sed -E 's/^typedef //' | sort | uniq -d | grep -vx 'struct pl_shape {') || true
[ -z "$twice" ] || complain "types that two headers define: $twice"

# the viewer's session is not in the library
# shellcheck disable=SC2046
crowded=$(awk '/^(typedef )?struct [a-z_]+ *\{/ { n = 0; name = $0; inside = 1; next }
  inside && /^\}/ { if (n > 30) print FILENAME ": " name " has " n " members"; inside = 0 }
  inside && /^  [a-z].*;/ { n++ }' $(grep -v '^src/view/' <<<"$headers"))
[ -z "$crowded" ] || complain "$crowded"

echo "$(wc -w <<<"$files") files, functions of $median lines in the median, 99 % below $p99"
exit $bad
