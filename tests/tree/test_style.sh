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

# structs have at most 30 members
# members FILE...: every struct of these files, "FILE: struct NAME N", by the names of its members: "int a, b;"
# are two, a function pointer is one whatever it takes, a struct within one is one and counted by itself
members() {
  for file in "$@"; do
    echo "pl_file \"$file\";"
    cat "$file"
  done | "${CC:-cc}" -fpreprocessed -dD -E -P -x c - 2>/dev/null | grep -v '^ *#' | sed 's/extern "C" {//' | awk '
    function name(text) { gsub(/ /, "", text); return text == "" ? "?" : text }
    /^pl_file "/ { file = substr($2, 2, length($2) - 3); depth = round = 0; before = ""; next }
    {
      count = split($0, letters, "")
      for (i = 1; i <= count; i++) {
        letter = letters[i]
        if (letter == "(" || letter == "[") round++
        if (letter == ")" || letter == "]") round--
        if (letter == "}" && depth > 0) {
          if (of[depth] != "") print file ": struct " of[depth] " " names[depth]
          depth--
        }
        if (letter == "{") {
          depth++
          names[depth] = 0
          of[depth] = match(before, /struct( [a-zA-Z_0-9]+)? *$/) ? name(substr(before, RSTART + 7)) : ""
        }
        if (depth && !round && (letter == ";" || letter == ",")) names[depth]++
        before = letter == ";" || letter == "{" || letter == "}" ? "" : before letter
      }
      before = before " "
    }'
}

# it counts as a compiler does
sample=$(mktemp)
trap 'rm -f "$sample"' EXIT
cat >"$sample" <<'END'
/* struct in_words { int a; }; */
typedef struct sample { // 9
  int a, b[3], *c;     /* three, not four; */
  void (*f)(int x, double y, const char *z);
  unsigned flag : 1, other : 2;
  struct { double x, y; } point;
  struct inner { int one, two; } inner;
  double grid[2][3];
} sample;
enum kind { A, B };
static const struct sample all[] = {{1, {2, 3, 4}}, {5}};
int use(struct sample s) { int a, b; return s.a + a, b; }
END
counted=$(members "$sample" | sed 's/.*: //' | tr '\n' ';')
[ "$counted" = "struct ? 2;struct inner 2;struct sample 9;" ] || complain "members are counted wrongly: $counted"
# shellcheck disable=SC2086
crowded=$(members $files | awk '$NF > 30 { print $0 " members, more than 30; group some in a struct of their own" }')
[ -z "$crowded" ] || complain "$crowded"

echo "$(wc -w <<<"$files") files, functions of $median lines in the median, 99 % below $p99"
exit $bad
