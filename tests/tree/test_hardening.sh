#!/usr/bin/env bash
# The command and the library are built as distributions build theirs: position-independent, bound at
# the start and read-only from then on, with canaries and checked copies.
set -eu
cache=$PLIANT_BUILD/CMakeCache.txt
skip() {
  echo "skipped: $1"
  exit 77
}
grep -q '^PLIANT_SANITIZE:STRING=.' "$cache" && skip "sanitizers are another kind of guard"
grep -q '^CMAKE_BUILD_TYPE:STRING=Release' "$cache" || skip "copies are checked in optimised builds only"
grep -q '^PLIANT_HARDEN:BOOL=OFF' "$cache" && skip "it was switched off (PLIANT_HARDEN)"
command -v readelf >/dev/null || skip "there is no readelf"

bad=0
# want FILE WHAT COMMAND...: the command must find something
want() {
  local file=$1 what=$2
  shift 2
  "$@" >/dev/null || {
    echo "$(basename "$file") has no $what"
    bad=1
  }
}
has() { readelf -W "$1" "$2" 2>/dev/null | grep -E "$3"; }
for file in "$PLIANT_COMMAND" "$PLIANT_BUILD/libpliant.so"; do
  want "$file" "BIND_NOW" has -d "$file" 'BIND_NOW|Flags:.*NOW'
  want "$file" "RELRO" has -l "$file" GNU_RELRO
  want "$file" "stack protector" has --dyn-syms "$file" __stack_chk_fail
  want "$file" "checked copies" has --dyn-syms "$file" '__[a-z]+_chk'
  ! has -l "$file" 'GNU_STACK.* RWE' || bad=1
done
want "$PLIANT_COMMAND" "position independence" has -h "$PLIANT_COMMAND" 'Type: +DYN'
exit $bad
