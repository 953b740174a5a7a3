#!/usr/bin/env bash
# A run that is killed at any moment leaves files that can be read, and the next run into its folder
# leaves nothing of it. 20 kills; with PLIANT_LONG=1 as many as were tried by hand once, 98.
. "${PLIANT_SOURCE:?}/tests/cli/begin.sh"
kills=20
[ -z "${PLIANT_LONG:-}" ] || kills=98

# scene FRAMES: all kinds of frames, probes; recordings are written anyway
scene() {
  cat >scene.xml <<XML
<pliant>
  <world dt="0.001" duration="$1"/>
  <integrator method="implicit-euler"/>
  <material name="rubber" young="1e6" poisson="0.33" density="1000"/>
  <mesh name="bar"><box size="1 0.3 0.3" cells="6 2 2"/></mesh>
  <body name="bar" mesh="bar" material="rubber"><fix><set name="x-min"/></fix></body>
  <probe name="tip" at="1 0.15 0.15"/>
  <output every="0.001" format="vtu"/>
  <output every="0.001" format="xdmf"/>
  <output every="0.001" format="stl"/>
  <output every="0.01" format="glb"/>
</pliant>
XML
}

# readable: everything under its final name is whole
readable() {
  local file
  if [ -e killed/probes.csv ]; then
    awk -F, 'NR == 1 { n = NF } NF != n { exit 1 }' killed/probes.csv || { echo "probes.csv"; return 1; }
    # (one that was killed before its first row is empty)
    [ ! -s killed/probes.csv ] || [ "$(tail -c 1 killed/probes.csv | wc -l)" -eq 1 ] || { echo "the end of probes.csv"; return 1; }
  fi
  if [ -e killed/bar.pvd ]; then
    grep -q '</VTKFile>' killed/bar.pvd || { echo "bar.pvd"; return 1; }
    file=$(grep -o 'bar_[0-9]*.vtu' killed/bar.pvd | tail -n 1)
    [ -z "$file" ] || "$pliant" mesh info "killed/$file" >info 2>&1 || { echo "$file: $(cat info)"; return 1; }
  fi
  file=$(ls killed/*.stl 2>/dev/null | tail -n 1)
  [ -z "$file" ] || "$pliant" mesh info "$file" >info 2>&1 || { echo "$file: $(cat info)"; return 1; }
  if [ -e killed/bar.xdmf ]; then
    grep -q '</Xdmf>' killed/bar.xdmf || { echo "bar.xdmf"; return 1; }
    # the last array that it names lies inside the file of numbers
    local seek size
    seek=$(grep -o 'Seek="[0-9]*"' killed/bar.xdmf | tail -n 1 | tr -dc 0-9)
    size=$(stat -c %s killed/bar.bin)
    [ "$size" -gt "$seek" ] || { echo "bar.bin"; return 1; }
  fi
  # (a run onward takes a while; one in four will do)
  if [ $((k % 4)) -eq 0 ] && [ -s killed/recording.plr ] && ! "$pliant" run --no-picture -q scene.xml -o onward --set world.start=killed/recording.plr --set world.duration=0.001 2>info; then
    # one that was killed before its first state has none
    grep -q "no state" info || { echo "recording.plr: $(cat info)"; return 1; }
  fi
  [ ! -e killed/summary.json ] || grep -q '^}' killed/summary.json || { echo "summary.json"; return 1; }
}

# wait_for FILE: until it is there, a minute at most
wait_for() {
  for _ in $(seq 3000); do
    [ ! -e "$1" ] || return 0
    sleep 0.02
  done
}

scene 10
good=0 alive=0
for k in $(seq "$kills"); do
  rm -rf killed
  "$pliant" run --no-picture -q scene.xml -o killed --threads 1 2>stderr &
  process=$!
  # at some moment of the first half second: loading, writing, or in between; every second one, and the
  # last, not before the run has a folder, however slow the machine
  [ $((k % 2)) -ne 0 ] || wait_for killed/recording.plr
  sleep "0.0$((k * 37 % 50 + 5))"
  [ $((k % 3)) -ne 0 ] || sleep "0.$((k * 13 % 40))"
  kill -KILL $process && alive=$((alive + 1))
  wait $process 2>/dev/null
  [ -d killed ] || { good=$((good + 1)); continue; }
  reason=$(readable) && good=$((good + 1)) || bad "kill $k: $reason"
done
[ $alive -eq "$kills" ] && ok || bad "$alive of $kills runs were there to be killed"
[ $good -eq "$kills" ] && ok || bad "$good of $kills kills left readable files"

# leftovers: the next run tidies up; a copy of a killed process's part file stands for those rarely met
scene 0.005
mkdir -p killed
(exit 0) &
dead=$!
wait $dead
mkdir -p killed/scene
touch "killed/bar_000000.vtu.$dead-7ffc.part" "killed/picture.png.$dead-1.part" "killed/scene/scene.xml.$dead-7ffc.part"
"$pliant" run --no-picture -q scene.xml -o killed 2>stderr && ok || bad "the next run: $(cat stderr)"
[ "$(ls -R killed | grep -c '[.]part$')" -eq 0 ] && ok || bad "leftovers: $(ls -R killed)"
[ "$(ls killed/*.vtu | wc -l)" -eq 6 ] && [ "$(ls killed/*.stl | wc -l)" -eq 6 ] && ok || bad "frames of the killed run: $(ls killed)"
[ "$(grep -c '<Time' killed/bar.xdmf)" -eq 6 ] && ok || bad "frames of the killed run in bar.xdmf"

echo "$passed passed, $failed failed, $good of $kills kills"
[ $failed -eq 0 ]
