#!/usr/bin/env bash
# Static analysis by three tools: analyse.sh [FOLDER...]. Fails on any finding that scripts/analyse.txt does not
# explain. Takes about an hour of processor time (ANALYSE_JOBS processes at a time, one per core if not given); what
# was found in a file is kept in build/analyse until the file or a header that it includes changes, so an interrupted
# run goes on, and the next looks at changed files only.
#
# Left out as a class, since they cannot see that a count of zero goes with an array that is not
# there, or that a function fills what it is given when it succeeds; the sanitizers, valgrind and
# tests that fail every k-th allocation look at the same:
#   gcc         use-of-uninitialized-value: arrays filled in loops count as unfilled (gcc 12)
#   clang-tidy  core.NullDereference, core.NonNullParamChecker, core.uninitialized.*,
#               core.UndefinedBinaryOperatorResult, core.CallAndMessage: the same;
#               valist.*: va_start and va_end count as nothing (clang 14);
#               optin.performance.Padding, security.insecureAPI.*: matters of taste
set -u
cd "$(dirname "$0")/.." || exit
known=scripts/analyse.txt
export log=build/analyse
mapfile -t files < <(git ls-files 'src/*.c' 'cli/*.c' |
  grep -E "^($(IFS='|'; [ $# = 0 ] && echo . || echo "${*%/}"))")
scripts/build.sh release pliant_command || exit

# finds_TOOL FILE: what it says, as lines FILE ID
flags="-std=c17 -D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700 -DPL_WITH_ZLIB -DPL_WITH_VIEW -Iinclude -Isrc"
export flags
finds_gcc() {
  gcc $flags -O1 -fanalyzer -Wno-analyzer-use-of-uninitialized-value -fdiagnostics-plain-output -c "$1" -o /dev/null 2>&1 |
    sed -nE 's|^([^:]+):[0-9]+:[0-9]+: warning: .*\[-W(analyzer-[a-z-]+)\]$|\1 \2|p'
}
finds_cppcheck() {
  cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr ${flags#* } \
    --suppress=missingInclude --template='{file} {id}' "$1" 2>&1
}
finds_tidy() {
  local checks='-*,clang-analyzer-*,-clang-analyzer-core.NullDereference'
  checks+=',-clang-analyzer-core.NonNullParamChecker,-clang-analyzer-core.uninitialized.*'
  checks+=',-clang-analyzer-core.UndefinedBinaryOperatorResult,-clang-analyzer-core.CallAndMessage'
  checks+=',-clang-analyzer-valist.*,-clang-analyzer-optin.performance.Padding'
  checks+=',-clang-analyzer-security.insecureAPI.*,bugprone-sizeof-expression,bugprone-infinite-loop'
  checks+=',bugprone-undefined-memory-manipulation,bugprone-signal-handler,bugprone-suspicious-mem*'
  checks+=',bugprone-not-null-terminated-result,bugprone-misplaced-widening-cast'
  clang-tidy --quiet -p build/release --checks="$checks" "$1" 2>/dev/null |
    sed -nE "s|^$PWD/||; s|^([^:]+):[0-9]+:[0-9]+: warning: .*\[([a-z].*)\]$|\1 \2|p"
}

# look TOOL FILE: keeps the findings under a sum of all that was read
look() {
  local kept=$log/$1/${2//\//_} sum
  # shellcheck disable=SC2046,SC2086
  sum=$( (declare -f "finds_$1"; echo "$flags"; cat $(gcc $flags -MM "$2" | sed 's/.*: //; s/\\$//')) | sha1sum)
  [ "$(head -n 1 "$kept" 2>/dev/null)" != "$sum" ] || return 0
  { echo "$sum"; "finds_$1" "$2" | sort -u; } >"$kept.part"
  mv "$kept.part" "$kept"
}
export -f finds_gcc finds_cppcheck finds_tidy look

failed=0
for tool in cppcheck gcc tidy; do
  case $tool in tidy) program=clang-tidy ;; *) program=$tool ;; esac
  command -v "$program" >/dev/null || {
    echo "$tool: left out, it is not installed"
    continue
  }
  mkdir -p "$log/$tool"
  printf '%s\0' "${files[@]}" | xargs -0 -P"${ANALYSE_JOBS:-$(nproc)}" -I{} bash -c 'look "$@"' look $tool {} || {
    echo "$tool: interrupted; what it found so far is kept"
    exit 1
  }
  found=$(for file in "${files[@]}"; do tail -n +2 "$log/$tool/${file//\//_}"; done | sort -u)
  # FILE ID of each line that is known
  new=$(grep -vxFf <(sed -nE 's/^([^# ]+ [^ ]+) .*/\1/p' "$known") <<<"$found" | grep .)
  echo "$tool: $(grep -c . <<<"$found") findings in ${#files[@]} files, $(grep -c . <<<"$new") of them unexplained"
  [ -z "$new" ] || {
    failed=1
    echo "$new"
  }
done
exit $failed
