#!/usr/bin/env bash
# One world over 2 and 3 processes, where MPI and PETSc are installed.
program=${PLIANT_BUILD:?}/tests/dist_ranks
command -v mpirun >/dev/null && [ -x "$program" ] || {
  echo "left out: MPI or PETSc are not installed (scripts/install-deps.sh check)"
  exit 77
}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_base_warn_component_unused=0
failed=0
for ranks in 2 3; do
  # whoever waits for a message that never comes would wait for ever
  timeout 120 mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -n $ranks "$program" "$@" || failed=1
done
exit $failed
