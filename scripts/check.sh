#!/usr/bin/env bash
# Everything that must hold before a change is merged: all tests as released, again under the
# address and undefined-behaviour sanitizers, those that start threads under the thread sanitizer,
# and a build by a second compiler. Goes on after a failure and sums up at the end.
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
  "${wrapper[@]}" ctest --test-dir "build/$preset" --output-on-failure --no-tests=error -j "$jobs" "$@" 2>&1 | tee "$log"
  [ "${PIPESTATUS[0]}" = 0 ] || failed=1
  note "$preset" "$(grep 'tests passed' "$log" || echo "THE TESTS DID NOT RUN")"
}

wrapper=()
build release && run_tests release

# what looks at the tree, or compares long runs with reference results, has nothing new to tell here
leave_out='^(tree|validation)/|^world/peers$'
build asan && run_tests asan --exclude-regex "$leave_out"

# a test that starts threads mentions a pool or a number of threads
mapfile -t threaded < <(grep -lE 'pl_pool_create|threads *=' tests/*/test_*.c)
targets=() names=
for file in "${threaded[@]}"; do
  room=$(basename "$(dirname "$file")") name=$(basename "$file" .c)
  targets+=("${room}_$name")
  names+="${names:+|}$room/${name#test_}"
done
# the thread sanitizer of gcc 12 needs a fixed memory layout on kernels with much randomness
setarch -R true 2>/dev/null && wrapper=(setarch -R)
build tsan "${targets[@]}" && run_tests tsan --tests-regex "^($names)\$" --exclude-regex "$leave_out"

if command -v clang >/dev/null; then
  build clang && note clang "builds without a warning"
fi

echo
echo "---- summary ----"
printf '%s\n' "${summary[@]}"
if [ $failed = 0 ]; then result="all is well"; else result="SOMETHING FAILED, see above"; fi
echo "$result after $((SECONDS - started)) s"
exit $failed
