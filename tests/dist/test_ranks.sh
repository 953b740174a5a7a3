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
failed=0
for ranks in 1 2 3; do
  # whoever waits for a message that never comes would wait for ever
  timeout 200 mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -n $ranks "$program" "$@" || failed=1
done

# the command: what rank 0 writes is what one process writes, in contact, with energies from the first row on
several=$PLIANT_BUILD/pliant-ranks
[ -x "$several" ] || several=$PLIANT_COMMAND # a build with PLIANT_WITH_PETSC
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scene=$PLIANT_SOURCE/tests/dist/touch.xml
"$PLIANT_COMMAND" run "$scene" -q --no-picture -o "$work/one" || failed=1
timeout 150 mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -n 2 \
  "$several" run "$scene" -q --no-picture -o "$work/two" || failed=1
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

# a signal to one of them ends all after the same step, and the results are whole
timeout 150 mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -n 2 \
  "$several" run "$PLIANT_SOURCE/tests/dist/bar.xml" --set world.duration=1000 -q --no-picture -o "$work/long" >"$work/said" 2>&1 &
launcher=$!
for i in $(seq 300); do
  [ -s "$work/long/recording.plr" ] && break
  sleep 0.2
done
sleep 0.3
# of timeout, mpirun, and its second process
pkill -TERM -P "$(pgrep -P $launcher)" -n
wait $launcher
grep -q "interrupted; the results so far are complete" "$work/said" && grep -q '"interrupted": true' "$work/long/summary.json" ||
  { echo "a signal to one process did not end all in order:"; cat "$work/said"; failed=1; }

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
