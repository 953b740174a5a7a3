#!/usr/bin/env bash
# One world over 1, 2 and 3 processes, where MPI and PETSc are installed.
program=${PLIANT_BUILD:?}/tests/dist_ranks
command -v mpirun >/dev/null && [ -x "$program" ] || {
  echo "left out: MPI or PETSc are not installed (scripts/install-deps.sh check)"
  exit 77
}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_base_warn_component_unused=0
timeout 60 mpirun --oversubscribe --bind-to none -n 2 true >/dev/null 2>&1 || {
  echo "left out: mpirun cannot start processes on this machine"
  exit 77
}
# NUMBER PROGRAM... follow; whoever waits for a message that never comes would wait for ever
ranks=(timeout 200 mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -n)
# await FILE
await() {
  for _ in $(seq 300); do
    [ -s "$1" ] && return
    sleep 0.2
  done
}
failed=0
for number in 1 2 3; do
  "${ranks[@]}" $number "$program" "$@" || failed=1
done

# the command: what rank 0 writes is what one process writes, in contact, with energies from the first row on
several=$PLIANT_BUILD/pliant-ranks
[ -x "$several" ] || several=$PLIANT_COMMAND # a build with PLIANT_WITH_PETSC
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scene=$PLIANT_SOURCE/tests/dist/touch.xml
"$PLIANT_COMMAND" run "$scene" -q --no-picture -o "$work/one" || failed=1
"${ranks[@]}" 2 "$several" run "$scene" -q --no-picture -o "$work/two" || failed=1
paste -d, "$work/one/probes.csv" "$work/two/probes.csv" | awk -F, 'NR > 1 {
    # a force is right by its size, not by its smallest component
    force = $2 ^ 2 + $3 ^ 2 + $4 ^ 2
    for (i = 2; i <= NF / 2; i++) {
      if (($i - $(i + NF / 2)) ^ 2 > 1e-10 * (i < 5 ? force : $i ^ 2) + 1e-12) { print "row " NR - 1 " of probes differs: " $0; bad = 1 }
      if ($i > 1) forced = 1
    }
    rows++
  } END { exit bad || rows != 11 || !forced }' || { echo "probes of two ranks are not those of one process"; failed=1; }
# each rank writes its piece of a frame, and together they are the file of one process
for body in low high; do
  python3 "$PLIANT_SOURCE/tests/dist/pieces.py" "$work/one/${body}_000001.vtu" "$work/two/${body}_000001.pvtu" 1e-5 || failed=1
done

# a signal to one of them, which writes or waits for the one that does, ends all after the same step, and the results are whole
cp "$PLIANT_SOURCE/tests/dist/bar.xml" "$work/bar.xml"
sed -i 's|</pliant>|  <output format="vtu" every="0.02"/>\n</pliant>|' "$work/bar.xml"
are_whole() {
  for frame in "$1"/bar_*.vtu; do
    python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$frame" || { echo "$frame is not whole"; failed=1; }
  done
}
for which in o n; do
  "${ranks[@]}" 2 "$several" run "$work/bar.xml" --set world.duration=1000 --set output.every=0.002 -q --no-picture -o "$work/long$which" >"$work/said" 2>&1 &
  launcher=$!
  await "$work/long$which/bar_000003.vtu"
  # of timeout, mpirun, and its first or second process
  pkill -TERM -P "$(pgrep -P $launcher)" -$which
  wait $launcher
  grep -q "interrupted; the results so far are complete" "$work/said" && grep -q '"interrupted": true' "$work/long$which/summary.json" &&
    [ "$(grep -c ^pliant: "$work/said")" = 1 ] || { echo "a signal to one process did not end all in order:"; cat "$work/said"; failed=1; }
  are_whole "$work/long$which"
done

# one of them is killed: all end, frames and recording are whole, and three go on from there
"${ranks[@]}" 2 "$several" run "$work/bar.xml" --set world.duration=1000 -q --no-picture -o "$work/killed" >"$work/said" 2>&1 &
launcher=$!
await "$work/killed/bar_000005.vtu"
pkill -KILL -P "$(pgrep -P $launcher)" -n
wait $launcher
ended=$?
[ $ended -ne 0 ] && [ $ended -ne 124 ] && grep -q "signal 9" "$work/said" ||
  { echo "a killed process did not end all (exit $ended):"; cat "$work/said"; failed=1; }
are_whole "$work/killed"
"${ranks[@]}" 3 "$several" run "$work/bar.xml" --set world.start=killed/recording.plr -q --no-picture -o "$work/on" >"$work/said" 2>&1 ||
  { echo "three processes do not go on from the recording of two:"; cat "$work/said"; failed=1; }
awk -F: '/"simulated_seconds"/ { gone_on = $2 + 0 > 0.025 } END { exit !gone_on }' "$work/on/summary.json" ||
  { echo "they do not begin where the recording ends"; failed=1; }

# one of them fails alone: one sentence, which names it; inside PETSc, where the other waits, after half a minute
fails_alone() {
  local wanted=$1 said
  shift
  printf '#!/bin/sh\n[ "$OMPI_COMM_WORLD_RANK" = 1 ] && %s\nexec "%s" run "$scene" -q --no-picture -o "%s"\n' \
    "$*" "$several" "$work/alone" >"$work/alone.sh"
  said=$(scene=$work/bar.xml "${ranks[@]}" 2 sh "$work/alone.sh" 2>&1) && { echo "did not fail: $*"; failed=1; }
  [ "$(grep -c "^pliant: .*rank 1 of 2.*$wanted" <<<"$said")" = 1 ] && [ "$(grep -c ^pliant: <<<"$said")" = 1 ] ||
    { echo "$* says \"$said\""; failed=1; }
}
fails_alone "cannot be opened" 'scene=none.xml'
# files of one process alone, which has no room for its piece of a frame
sed -i 's/every="0.02"/every="0.02" pieces="ranks"/' "$work/bar.xml"
fails_alone "cannot be written: File too large" 'trap "" XFSZ && ulimit -f 4'
# memory of one process alone: to make the mesh, the model and what PETSc needs, for 192 000 tets on top of the program
if [ -n "${PLIANT_LONG:-}" ]; then
  sed -i 's/cells="12 3 3"/cells="80 20 20"/' "$work/bar.xml"
  for kilobytes in 320000 390000 450000; do fails_alone "" "ulimit -v $kilobytes"; done
fi

# what cannot be is refused with one sentence, by the first process
refused() {
  local wanted=$1 said
  shift
  said=$(env "$@" 2>&1) && { echo "not refused: $*"; failed=1; }
  case $said in
    "pliant: "*"$wanted"*) ;;
    *) echo "$* says \"$said\""; failed=1 ;;
  esac
}
refused "belongs to another MPI" PMI_SIZE=2 PMI_RANK=0 "$several" run "$scene" -o "$work/no"
refused "leave one of them out" PMI_SIZE=2 PMI_RANK=0 "$several" run --ranks 2 "$scene" -o "$work/no"
refused "processors" "$several" run --ranks 5000 "$scene" -o "$work/no"
if [ "$several" != "$PLIANT_COMMAND" ]; then
  refused "started 8 times" PMIX_RANK=0 SLURM_STEP_NUM_TASKS=8 "$PLIANT_COMMAND" run "$scene" -o "$work/no"
  refused "needs a build with PETSc" "$PLIANT_COMMAND" run --ranks 2 "$scene" -o "$work/no"
fi
[ -z "$(PMI_SIZE=2 PMI_RANK=1 "$several" run "$scene" -o "$work/no" 2>&1)" ] || { echo "the second process speaks"; failed=1; }
[ ! -e "$work/no" ] || { echo "what was refused wrote files"; failed=1; }
exit $failed
