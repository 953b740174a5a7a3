#!/usr/bin/env bash
# Everything that must hold before a change is merged: all tests as released, again under the
# address and undefined-behaviour sanitizers, those about threads under the thread sanitizer,
# and a build by a second compiler. Goes on after a failure and sums up at the end. With --long the
# address sanitizer also sees what takes long there and goes through code that shorter tests go through.
set -u
cd "$(dirname "$0")/.." || exit
jobs=$(nproc)
started=$SECONDS
failed=0
summary=()

# note PRESET RESULT: a line of the summary
note() {
  summary+=("$(printf '%-8s %4d s  %s' "$1" $((SECONDS - stage_started)) "$2")")
}

# build PRESET [TARGET...]
build() {
  stage_started=$SECONDS
  echo "---- $1 ----"
  scripts/build.sh "$@" && return 0
  failed=1
  note "$1" "DOES NOT BUILD"
  return 1
}

# run_tests PRESET [CTEST ARGUMENT...]: runs them and notes ctest's counts
run_tests() {
  local preset=$1 log=build/$1/check.log
  shift
  ctest --test-dir "build/$preset" --output-on-failure --no-tests=error -j "$jobs" "$@" 2>&1 | tee "$log"
  [ "${PIPESTATUS[0]}" = 0 ] || failed=1
  note "$preset" "$(grep 'tests passed' "$log" || echo "THE TESTS DID NOT RUN")"
}

wrapper=()
build release && run_tests release

# what looks at the tree, compares long runs with formulas, or makes a browser work has nothing new to
# tell here: shorter tests go through the same code. Files say so by a label; see tests/CMakeLists.txt.
leave_out='^(release|long)$'
[ "${1-}" != --long ] || leave_out='^release$'
build asan && run_tests asan --exclude-regex '^(tree|validation)/' --label-exclude "$leave_out"

# tests whose names speak of threads, and all of the viewer's session, which runs in one of its own
mapfile -t threaded < <(grep -lE '^TEST\(.*thread' tests/*/test_*.c)
programs=(view_test_session)
for file in "${threaded[@]}"; do
  programs+=("$(basename "$(dirname "$file")")_$(basename "$file" .c)")
done
# the thread sanitizer of gcc 12 needs a fixed memory layout on kernels with much randomness
setarch -R true 2>/dev/null && wrapper=(setarch -R)
# run_threaded PROGRAM: its tests about threads; prints what they said, all at once
run_threaded() {
  local word=thread output status
  [ "$1" = view_test_session ] && word=
  output=$("${wrapper[@]}" timeout 600 "build/tsan/tests/$1" ${word:+"$word"} 2>&1)
  status=$?
  printf '%s\n%s\n' "$1" "$output"
  return $status
}
if build tsan "${programs[@]}"; then
  # two at a time or so; each that passes leaves a line
  log=build/tsan/check.log running=0
  : >"$log"
  for program in "${programs[@]}"; do
    [ $running -lt "$jobs" ] || { wait -n; running=$((running - 1)); }
    { run_threaded "$program" && echo "$program" >>"$log"; } &
    running=$((running + 1))
  done
  wait
  passed=$(wc -l <"$log")
  [ "$passed" = ${#programs[@]} ] || failed=1
  note tsan "$passed of ${#programs[@]} programs passed"
fi

# what clang thinks of every file; making code of them tells nothing new
compile_with_clang() {
  stage_started=$SECONDS
  echo "---- clang ----"
  mkdir -p build
  cmake --preset clang >build/clang.log 2>&1 || { cat build/clang.log; return 1; }
  # each command without its output, in the folder that it expects; the viewer's page is not ours to judge
  sed -n 's/^ *"command": "\(.*\)",*$/\1/p' build/clang/compile_commands.json |
    sed -n '/viewer.assets[.]c$/d; /^[^ ]*clang / { s/\\\(.\)/\1/g; s/ -o [^ ]* -c / -fsyntax-only -c /p }' |
    (cd build/clang && xargs -d '\n' -P "$jobs" -n 1 sh -c)
}
if command -v clang >/dev/null; then
  if compile_with_clang; then
    note clang "compiles without a warning"
  else
    failed=1
    note clang "DOES NOT COMPILE"
  fi
fi

echo
echo "---- summary ----"
printf '%s\n' "${summary[@]}"
if [ $failed = 0 ]; then result="all is well"; else result="SOMETHING FAILED, see above"; fi
echo "$result after $((SECONDS - started)) s"
exit $failed
