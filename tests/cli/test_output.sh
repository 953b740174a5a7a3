#!/usr/bin/env bash
# Where results go: what stands in the way is told, and no run spoils what another one, or another
# body, has written.
. "${PLIANT_SOURCE:?}/tests/cli/begin.sh"
run() { timeout -s KILL 120 "$pliant" run --no-picture "$@"; }

scene() { # a small good scene with the given change applied by sed
  sed "${1:-}" >scene.xml <<'XML'
<pliant>
  <world dt="0.01" duration="0.1"/>
  <integrator method="implicit-euler"/>
  <material name="rubber" young="1e6" poisson="0.33" density="1000"/>
  <mesh name="bar"><box size="1 0.3 0.3" cells="2 1 1"/></mesh>
  <body name="bar" mesh="bar" material="rubber"><fix><set name="x-min"/></fix></body>
  <probe name="tip" at="1 0.15 0.15"/>
  <output every="0.05" format="vtu"/>
</pliant>
XML
}

# ---- a limit on the size of files; a standard output that is full, or closed ----
scene
(ulimit -f 4; "$pliant" run scene.xml -o limited -q 2>&1) | grep -q "File too large" && ok || bad "a file beyond the limit"
if [ -e /dev/full ]; then
  "$pliant" list >/dev/full 2>stderr
  [ $? -eq 1 ] && grep -q "standard output cannot be written" stderr && ok || bad "a full standard output: $(cat stderr)"
fi
scene 's/duration="0.1"/duration="20"/;s/every="0.05"/every="5"/'
run scene.xml -o closed --progress json >&- 2>&- && ok || bad "a run without standard output and error"
grep -aEq 'pliant: |"left"' closed/*.csv closed/*.plr closed/*.vtu && bad "messages stand in results" || ok

# ---- bodies alike but for letters that no file name may have, and one format twice ----
scene 's#<output#<body name="bar:" mesh="bar" material="rubber"/><body name="bar/" mesh="bar" material="rubber"/><output every="0.1"/><output#;s/<probe.*//'
run scene.xml -o alike -q 2>stderr && ok || bad "names alike: $(cat stderr)"
[ "$(cat alike/*.pvd | grep -o 'file="[^"]*"' | sort -u | wc -l)" -eq 15 ] && ok || bad "bodies share files: $(ls alike)"

# ---- a shorter run in the folder of a longer one leaves none of its frames ----
scene 's/format="vtu"/format="tetgen"/'
run scene.xml -o shorter -q && run scene.xml -o shorter -q --set world.duration=0.05 && ok || bad "a second run"
[ "$(ls shorter | grep -Ec '[.](node|ele)$')" -eq 4 ] && ok || bad "frames of an older run: $(ls shorter)"

# ---- a scene from a pipe is packed as it was read; frames far closer than steps ----
scene
cat scene.xml | run /dev/stdin -o piped -q --set world.dt=1e5 --set world.duration=3e5 --set output.every=1e-9 2>stderr && ok || bad "a pipe, dense frames: $? $(cat stderr)"
grep -q '<body' piped/scene/stdin && ok || bad "the scene of a pipe is not kept"
[ "$(ls piped | grep -c vtu)" -eq 4 ] && ok || bad "dense frames: $(ls piped)"

# ---- what no run has written is not written over ----
mkdir -p mine/scene
{ echo '<!-- notes -->'; cat scene.xml; } >mine/scene/scene.xml
cp mine/scene/scene.xml mine/scene.xml
run mine/scene/scene.xml -o mine >stdout 2>stderr
[ $? -eq 1 ] && grep -q "choose another folder with -o" stderr && ok || bad "a scene in place of its copy: $(cat stderr)"
run mine/scene.xml -o mine >stdout 2>stderr
[ $? -eq 1 ] && grep -q "mine/scene: is no run's" stderr && ok || bad "a folder in place of the copy: $(cat stderr)"
"$pliant" mesh generate box -o mine/box.msh >stdout 2>stderr
run mine/box.msh -o mine >stdout 2>stderr
[ $? -eq 1 ] && grep -q "mine/scene.xml: is a scene" stderr && ok || bad "a scene in place of a shape's: $(cat stderr)"
cmp -s mine/scene.xml mine/scene/scene.xml && grep -q notes mine/scene.xml && [ "$(ls mine | wc -l)" -eq 3 ] && ok || bad "written over: $(ls mine)"
run piped/scene/stdin -o piped >stdout 2>stderr && bad "a packed scene writes over itself" || ok

# ---- what ends a run is said once ----
scene 's/method="implicit-euler"/method="static"/; s/<fix>.*<.fix>//'
run scene.xml -o loose >stdout 2>stderr
[ $? -eq 1 ] && [ "$(grep -c "not held anywhere" stderr)" -eq 1 ] && ok || bad "a loose body: $(cat stderr)"
scene

# ---- two runs at once into one folder; the terminal is closed ----
# (under nohup the signal would be ignored from the start)
env --default-signal=HUP "$pliant" run --no-picture scene.xml -o shared -q --set world.duration=1000 2>stderr &
first=$!
for i in $(seq 200); do [ -e shared/bar_000001.vtu ] && break; sleep 0.1; done
run scene.xml -o shared >stdout 2>stderr.second
[ $? -eq 1 ] && grep -q "shared: another run is writing" stderr.second && ok || bad "two at once: $(cat stderr.second)"
kill -HUP $first
wait $first
[ $? -eq 130 ] && grep -q '"interrupted": true' shared/summary.json && ok || bad "a closed terminal: $(cat stderr)"

# ---- named pipes and devices are no files; a recording's scene lies in its folder ----
scene
mkfifo pipe.xml pipe.obj pipe.msh
for file in pipe.xml pipe.obj pipe.msh /dev/zero; do
  timeout -s KILL 10 "$pliant" run --no-picture "$file" -o pipe >stdout 2>stderr
  [ $? -eq 1 ] && grep -q "a file is needed" stderr && ok || bad "$file: $(cat stderr)"
done
mkfifo pipe.plr
timeout -s KILL 10 "$pliant" run --no-picture scene.xml -o pipe --set world.start=pipe.plr >stdout 2>stderr
[ $? -eq 1 ] && grep -q "pipe.plr: is a pipe" stderr && ok || bad "pipe.plr: $(cat stderr)"
run scene.xml -o recorded -q 2>stderr || bad "$(cat stderr)"
if "$pliant" view --help >/dev/null 2>&1; then
  cp scene.xml else.xml
  # a note of the same length
  sed -i 's|scene/scene.xml|.././/else.xml|' recorded/recording.plr
  timeout -s KILL 10 "$pliant" view recorded --no-open >stdout 2>stderr && bad "a recording names any scene" || ok
  grep -q "recording.plr: .*lies outside of the recording's folder" stderr && ok || bad "$(cat stderr)"
fi

# ---- tensors of the elements, where they are wanted ----
scene 's|<output[^>]*/>|<output every="0.05" format="vtu" encoding="ascii" fields="all"/>|'
grep -q 'fields="all"' scene.xml || sed -i 's|</pliant>|<output every="0.05" format="vtu" encoding="ascii" fields="all"/></pliant>|' scene.xml
run scene.xml -o tensors -q 2>stderr && ok || bad "tensors: $(cat stderr)"
frame=$(ls tensors/*.vtu | tail -n 1)
for array in 'deformation_gradient" NumberOfComponents="9' 'green_strain" NumberOfComponents="6' 'cauchy_stress" NumberOfComponents="6' 'principal_stress" NumberOfComponents="3' 'energy_density" NumberOfComponents="1' 'reaction" NumberOfComponents="3' 'contact_force" NumberOfComponents="3'; do
  grep -q "$array" "$frame" && ok || bad "$frame lacks $array"
done
if [ -x /usr/bin/python3 ]; then
  /usr/bin/python3 - "$frame" <<'PY' && ok || bad "the tensors contradict the von Mises stress"
import sys, xml.etree.ElementTree as tree
cells = {a.get("Name"): [float(w) for w in a.text.split()] for a in tree.parse(sys.argv[1]).iter("DataArray") if a.text}
count = len(cells["von_mises"])
assert count and max(cells["von_mises"]) > 0
for e in range(count):
    x, y, z, xy, yz, xz = cells["cauchy_stress"][6 * e:6 * e + 6]
    a, b, c = cells["principal_stress"][3 * e:3 * e + 3]
    mises = (0.5 * ((x - y)**2 + (y - z)**2 + (z - x)**2) + 3 * (xy**2 + yz**2 + xz**2))**0.5
    scale = max(abs(a), abs(b), abs(c))
    assert abs(mises - cells["von_mises"][e]) < 1e-9 * scale, (mises, cells["von_mises"][e])
    assert abs(x + y + z - a - b - c) < 1e-9 * scale and a >= b >= c
    F = cells["deformation_gradient"][9 * e:9 * e + 9]
    E = cells["green_strain"][6 * e:6 * e + 6]
    assert abs(E[0] - 0.5 * (F[0]**2 + F[3]**2 + F[6]**2 - 1)) < 1e-12
PY
fi

# ---- all bodies in one animation ----
scene 's|<output[^>]*/>||;/<probe/d'
sed -i 's|</pliant>|<mesh name="ball"><sphere radius="0.2"/></mesh><body name="ball" mesh="ball" material="rubber"/><output every="0.05" format="glb" bodies="together"/></pliant>|' scene.xml
run scene.xml -o together -q 2>stderr && [ -s together/bodies.glb ] && [ "$(ls together | grep -c glb)" -eq 1 ] && ok || bad "together: $(cat stderr; ls together)"
"$pliant" mesh info together/bodies.glb >stdout 2>stderr && grep -q "in 2 pieces" stdout && ok || bad "together: $(cat stdout stderr)"
grep -aq '"name":"ball"' together/bodies.glb && ok || bad "no names"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
