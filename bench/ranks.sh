#!/usr/bin/env bash
# One bar over several processes: iterations, processor time and memory of each rank, as CSV.
#
#   bench/ranks.sh PROGRAM PRESET:RANKS:CELLS...    CELLS across the bar, 24 CELLS^3 tetrahedra; preset "threads":
#                                                   one process with our own solver and so many threads
#
# The bar of pliant bench: 1 x .25 x .25 m, corotated tetrahedra, implicit Euler, 10 ms, residual 1e-6. A step's
# iterations and processor time are those of steps 2 to 4, the time that of the busiest rank; it holds what a rank spends in waiting for others.
# PROGRAM is a pliant with PETSc: build/release/pliant-ranks.
set -eu
program=$1
shift
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/bar.xml" <<'XML'
<pliant title="a bar over several processes">
  <world dt="0.01" duration="0.04" gravity="0 -9.81 0"/>
  <integrator method="implicit-euler"/>
  <solver tolerance="1e-6"/>
  <material name="rubber" law="hooke" young="1e6" poisson="0.3" density="1000"/>
  <mesh name="bar"><box size="1 0.25 0.25" cells="4 1 1"/></mesh>
  <body name="bar" mesh="bar" material="rubber" strain="corotated"><fix><set name="x-min"/></fix></body>
</pliant>
XML

# run STEPS: "user system kilobytes" of each rank in $work/times
run() {
  rm -f "$work/times"
  local launch="mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -n $ranks" words="--threads 1 --set solver.method=petsc --set solver.preset=$preset"
  [ "$preset" = threads ] && launch='' words="--threads $ranks"
  $launch /usr/bin/time -a -o "$work/times" -f '%U %S %M' "$program" run "$work/bar.xml" -q --no-picture $words \
    --set mesh.box.cells="$((4 * cells)) $cells $cells" --set world.duration=$(awk "BEGIN { print $1 / 100 }") -o "$work/out" >"$work/log" 2>&1 ||
    { cat "$work/log" >&2; return 1; }
}

iterations() { awk -F'[:,]' '/"linear_iterations"/ { print $2 + 0 }' "$work/out/summary.json"; }
busiest() { awk '{ t = $1 + $2; if (t > most) most = t } END { print most }' "$work/times"; }

echo preset,ranks,tets,iterations,cpu_ms,first_s,peak_mb
for case in "$@"; do
  IFS=: read -r preset ranks cells <<<"$case"
  run 1 || continue
  first=$(busiest) before=$(iterations)
  run 4 || continue
  each=$(awk "BEGIN { print int(10 * ($(iterations) - $before) / 3 + 0.5) / 10 }")
  awk -v all="$(busiest)" -v first="$first" -v head="$preset,$ranks,$((24 * cells ** 3)),$each" \
    '{ if ($3 > most) most = $3 } END { printf "%s,%.0f,%.2f,%.0f\n", head, 1e3 * (all - first) / 3, first, most / 1024 }' "$work/times"
done
