#!/usr/bin/env bash
# The command as a user meets it: results of a run, and one clear sentence for everything that is
# wrong, with a non-zero exit and nothing half-written.
. "${PLIANT_SOURCE:?}/tests/cli/begin.sh"
source=${PLIANT_SOURCE:?}

# expect CODE PART COMMAND...: the exit code, and a line on stderr that contains PART
expect() {
  local code=$1 part=$2
  shift 2
  "$@" >stdout 2>stderr
  local got=$?
  if [ $got -ne "$code" ]; then bad "$*: exit $got, expected $code: $(head -c 300 stderr)"; return; fi
  if ! grep -qF -- "$part" stderr; then bad "$*: stderr lacks '$part': $(head -c 300 stderr)"; return; fi
  ok
}

scene() { # a small good scene with the given change applied by sed
  sed "${1:-}" >scene.xml <<'XML'
<pliant title="test">
  <world dt="0.01" duration="0.1" gravity="0 0 -9.81"/>
  <integrator method="implicit-euler"/>
  <material name="rubber" law="hooke" young="1e6" poisson="0.33" density="1000"/>
  <mesh name="bar"><box size="1 0.3 0.3" cells="6 2 2"/></mesh>
  <body name="bar" model="fem" mesh="bar" material="rubber" strain="corotated">
    <fix><box min="-0.01 -1 -1" max="0.01 1 1"/></fix>
  </body>
  <probe name="tip" body="bar" at="1 0.15 0.15" quantity="displacement"/>
  <probe name="energy" quantity="energy"/>
  <output every="0.05" format="vtu"/>
</pliant>
XML
}

# ---- a run and what it writes ----
scene
if "$pliant" run scene.xml -o out --progress off >stdout 2>stderr; then ok; else bad "run: $(cat stderr)"; fi
for file in probes.csv summary.json bar.pvd bar_000000.vtu bar_000002.vtu picture.png; do
  [ -s "out/$file" ] && ok || bad "out/$file is missing"
done
[ "$(head -n 1 out/probes.csv)" = "time,tip.x,tip.y,tip.z,energy" ] && ok || bad "header: $(head -n 1 out/probes.csv)"
[ "$(wc -l <out/probes.csv)" -eq 12 ] && ok || bad "probes.csv has $(wc -l <out/probes.csv) lines"
grep -q '"state_hash": "[0-9a-f]\{16\}"' out/summary.json && ok || bad "no state_hash"
grep -q '"completed": true' out/summary.json && ok || bad "not completed"
if [ -x /usr/bin/python3 ]; then
  /usr/bin/python3 -c 'import json; json.load(open("out/summary.json"))' && ok || bad "summary.json is not JSON"
fi
[ -z "$(ls out | grep part)" ] && ok || bad "temporary files are left over"
# without a picture there is none, not even that of the run before
"$pliant" run --no-picture -q scene.xml -o out 2>stderr && [ ! -e out/picture.png ] && ls out/*.svg >/dev/null && ok || bad "--no-picture: $(cat stderr; ls out)"
"$pliant" run --no-picture scene.xml -o out >stdout 2>stderr && grep -q summary.json stdout && ! grep -q picture stdout && ok || bad "--no-picture names one: $(cat stdout stderr)"

# ---- the same bits for any number of threads ----
hashes=$(for threads in 1 2 3 8; do
  "$pliant" run --no-picture scene.xml -o "t$threads" --threads $threads -q && grep state_hash "t$threads/summary.json"
done | sort -u | wc -l)
[ "$hashes" -eq 1 ] && ok || bad "the state depends on the threads"

# ---- --set ----
"$pliant" run --no-picture scene.xml -o set --set world.dt=0.005 --set 'material[rubber].young=1e5' -q 2>stderr && ok || bad "set: $(cat stderr)"
[ "$(wc -l <set/probes.csv)" -eq 22 ] && ok || bad "--set world.dt had no effect"
expect 1 "wrold" "$pliant" run --no-picture scene.xml -o x --set wrold.dt=1
expect 1 "dt" "$pliant" run --no-picture scene.xml -o x --set world.dt=0

# ---- devices that can do nothing here ----
scene 's|</pliant>|<hand device="mouse"/></pliant>|'
expect 1 'the device "mouse" of the hand is the pointer of pliant view' "$pliant" run --no-picture scene.xml -o x
scene 's|</pliant>|<hand device="udp"/></pliant>|'
expect 1 "follows the clock of the machine" "$pliant" run --no-picture scene.xml -o x
scene

# ---- bad words ----
expect 2 "usage" "$pliant"
expect 2 'did you mean "run"' "$pliant" rnu
expect 2 "needs one scene" "$pliant" run
expect 2 "did you mean --threads" "$pliant" run --no-picture --thread 2 scene.xml
expect 2 "whole number" "$pliant" run --no-picture --threads two scene.xml
expect 2 "auto, off or json" "$pliant" run --no-picture --progress loud scene.xml
expect 2 "did you mean \"integrator\"" "$pliant" list integator
expect 2 'unknown integrator "newmrak"; did you mean "newmark"' "$pliant" list integrator newmrak
expect 2 'of the family integrator: pliant list integrator newmark' "$pliant" list newmark
expect 2 'of the family integrator: pliant list integrator newmark' "$pliant" list solver newmark
expect 2 "unknown mesh command" "$pliant" mesh cut

# ---- bad files ----
expect 1 "nothere.xml: cannot be opened" "$pliant" run --no-picture nothere.xml
: >empty.xml
expect 1 "empty.xml" "$pliant" run --no-picture empty.xml
head -c 200 scene.xml >cut.xml
expect 1 "cut.xml:" "$pliant" run --no-picture cut.xml
scene 's/poisson="0.33"/poisson="0.7"/'
expect 1 "scene.xml:4:" "$pliant" run --no-picture scene.xml -o x
expect 1 "poisson = 0.7" "$pliant" check scene.xml
scene 's/strain=/strian=/'
expect 1 'did you mean "strain"' "$pliant" check scene.xml
scene 's/density="1000"/density="-1"/'
expect 1 "density = -1" "$pliant" check scene.xml
scene '/<body/,/<\/body>/d;/<probe/d'
expect 1 "nothing to simulate" "$pliant" check scene.xml
scene 's/implicit-euler/implicit-eular/'
expect 1 'did you mean "implicit-euler"' "$pliant" check scene.xml
scene 's/<fix><box min="-0.01 -1 -1" max="0.01 1 1"/<fix><box min="5 5 5" max="6 6 6"/'
expect 1 "holds no node" "$pliant" check scene.xml
scene 's/implicit-euler/static/;s/<fix>.*<.fix>//'
expect 1 'scene.xml: body "bar" is not held anywhere' "$pliant" check scene.xml
scene 's/dt="0.01"/dt="nan"/'
expect 1 "dt" "$pliant" check scene.xml
scene 's/poisson="0.33"/poisson="0.7"/;s/density="1000"/density="-1"/;s/strain=/strian=/'
"$pliant" check scene.xml >stdout 2>stderr
[ "$(wc -l <stderr)" -ge 3 ] && ok || bad "check tells $(wc -l <stderr) of 3 errors"
[ ! -e x ] && ok || bad "a refused scene left an output folder"

# meshes in files: none, empty, counts that lie, not-a-number, no elements
scene 's#<mesh name="bar">.*#<mesh name="bar" file="m.msh"/>#'
rm -f m.msh
expect 1 "m.msh" "$pliant" check scene.xml
: >m.msh
expect 1 "m.msh" "$pliant" check scene.xml
"$pliant" mesh generate box --size "1 0.3 0.3" --cells "4 1 1" -o good.msh >stdout 2>stderr && ok || bad "generate: $(cat stderr)"
"$pliant" mesh info good.msh | grep -q "24 tetrahedra" && ok || bad "info"
"$pliant" mesh info good.msh | grep -Eq "aspect +mean [^,]*, worst( [0-9.]+ .element [0-9]+.,?){5}" && ok || bad "info: worst elements"
"$pliant" mesh info good.msh | grep -q "faces in 1 piece" && ok || bad "info: boundary"
"$pliant" mesh info good.msh | grep -Eq "volume +[0-9.e-]+ m\^3" && ok || bad "info: volume"
"$pliant" mesh generate sheet -o sheet.msh | grep -Eq "area +1 m\^2" && ok || bad "info: area"
"$pliant" mesh generate rod -o rod.msh | grep -Eq "length +1 m," && ok || bad "info: length"
size=$(stat -c %s good.msh)
for part in 10 100 $((size / 2)) $((size - 20)); do
  head -c "$part" good.msh >m.msh
  expect 1 "m.msh" "$pliant" check scene.xml
done
for count in -1 0 2147483648 9223372036854775807; do
  printf '$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%s\n1 0 0 0\n$EndNodes\n$Elements\n0\n$EndElements\n' "$count" >m.msh
  expect 1 "m.msh" "$pliant" check scene.xml
done
printf '$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 nan 0 0\n$EndNodes\n' >m.msh
expect 1 "m.msh" "$pliant" check scene.xml
# from a solid to a surface and back to elements, finer ones, and other people's meshers
"$pliant" mesh surface duck --size 0.08 -o duck.obj >stdout 2>stderr && ok || bad "surface: $(cat stderr)"
"$pliant" mesh info duck.obj | grep -q "wrong" && bad "the duck's surface is not closed" || ok
"$pliant" mesh duck.obj --size 0.1 --grading 1 -o duck.msh >stdout 2>stderr && ok || bad "fill: $(cat stderr)"
"$pliant" mesh fill tube --method voxels --elements 900 -o tube.msh 2>stderr | grep -q hexahedra && ok || bad "voxels: $(cat stderr)"
expect 1 "a size of 50 m is larger than the whole shape" "$pliant" mesh fill tube --method voxels --size 50 -o tube.msh
"$pliant" mesh refine good.msh -o finer.msh 2>stderr | grep -q "192 tetrahedra" && ok || bad "refine: $(cat stderr)"
"$pliant" mesh refine good.msh --around "0 0 0" --radius 0.2 -o finer.msh >stdout 2>stderr && ok || bad "refine: $(cat stderr)"
expect 2 "belong together" "$pliant" mesh refine good.msh --around "0 0 0" -o finer.msh
expect 2 "levels" "$pliant" mesh refine good.msh --levels 0 -o finer.msh
expect 1 "hexahedra" "$pliant" mesh refine tube.msh -o finer.msh
expect 1 "there is: tetgen, gmsh" "$pliant" mesh fill duck --with blender -o duck.msh
expect 1 "not installed" env PATH=/nowhere "$pliant" mesh fill duck --with gmsh -o duck.msh
for mesher in tetgen gmsh; do
  command -v $mesher >/dev/null || continue
  "$pliant" mesh fill duck --with $mesher --size 0.15 -o duck.msh >stdout 2>stderr && ok || bad "$mesher: $(cat stderr)"
done
"$pliant" mesh convert good.msh other.vtu >stdout 2>stderr && ok || bad "convert: $(cat stderr)"
for extension in node mesh veg stl; do
  "$pliant" mesh convert good.msh "less.$extension" >stdout 2>stderr && grep -q "cannot hold 6 of the 6 sets" stderr && ! grep -q " set " stdout && ok || bad "sets of less.$extension: $(cat stderr)"
done
expect 1 "good.xyz" "$pliant" mesh convert good.msh -o good.xyz
"$pliant" mesh convert good.msh -o same.vtu >stdout 2>stderr && cmp -s other.vtu same.vtu && ok || bad "convert -o: $(cat stderr)"
expect 2 "mesh convert needs one file to read and -o FILE" "$pliant" mesh convert good.msh
expect 2 "mesh convert needs one file to read and -o FILE" "$pliant" mesh convert good.msh a.vtu -o b.vtu
"$pliant" mesh convert --set encoding=binary good.msh binary.msh >stdout 2>stderr && grep -aq "^4.1 1 8" binary.msh && ok || bad "convert --set: $(cat stderr)"
expect 1 'unknown encoding "bits"' "$pliant" mesh convert --set encoding=bits good.msh binary.msh
for extension in inp mesh veg stl glb; do
  "$pliant" mesh convert good.msh "other.$extension" >stdout 2>stderr && ok || bad "convert $extension: $(cat stderr)"
  "$pliant" mesh info "other.$extension" >stdout 2>stderr && ok || bad "info $extension: $(cat stderr)"
done
"$pliant" mesh convert other.stl other.ply >stdout 2>stderr && ok || bad "surface to surface: $(cat stderr)"
expect 1 "fill it first" "$pliant" mesh convert other.stl wrong.msh

# a mesh with a node twice, one unused, an element inside out, one of no volume, one twice
printf '*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n5,0,0,0\n6,9,9,9\n7,1,1,1\n' >broken.inp
printf '*ELEMENT,TYPE=C3D4\n1,1,3,2,4\n2,2,3,4,7\n3,5,2,3,4\n4,1,2,3,3\n' >>broken.inp
expect 1 "element 3 uses node" "$pliant" mesh info broken.inp
"$pliant" mesh repair broken.inp -o sound.msh >stdout 2>stderr && ok || bad "repair: $(cat stderr)"
for line in "1 nodes joined" "1 elements of no volume" "1 elements dropped that were there twice" "1 nodes dropped" "2 tetrahedra" "inverted elements turned"; do
  grep -q "$line" stdout && ok || bad "repair does not tell: $line"
done
"$pliant" mesh repair sound.msh | grep -q "nothing to repair" && ok || bad "a sound mesh is repaired"

# a shape without a scene
"$pliant" run --no-picture -q other.stl -o dropped --set world.duration=0.1 2>stderr && ok || bad "run a surface: $(cat stderr)"
[ -e dropped/scene.xml ] && [ -e dropped/body-surface.glb ] && [ -e dropped/body.pvd ] && ok || bad "run a surface: $(ls dropped)"
"$pliant" run --no-picture -q good.msh --up y -o dropped --set world.duration=0.05 2>stderr && ok || bad "run a mesh: $(cat stderr)"
grep -q 'gravity="0 -9.81 0"' dropped/scene.xml && ok || bad "--up y"
expect 1 "x, y or z" "$pliant" run --no-picture good.msh --up w -o dropped
expect 1 "nothere.obj: cannot be opened" "$pliant" run --no-picture nothere.obj -o dropped
cp good.msh m.msh
"$pliant" check scene.xml >stdout 2>stderr && ok || bad "a good mesh file: $(cat stderr)"
mkdir -p below && cp scene.xml below/ && sed -i 's#m.msh#../good.msh#' below/scene.xml
expect 1 "--allow-path" "$pliant" check below/scene.xml
"$pliant" check --allow-path below/scene.xml >stdout 2>stderr && ok || bad "--allow-path: $(cat stderr)"

# ---- output that cannot be written ----
scene
: >occupied
expect 1 "occupied" "$pliant" run --no-picture scene.xml -o occupied
expect 1 "/proc/none" "$pliant" run --no-picture scene.xml -o /proc/none/x
if [ -e /dev/full ]; then
  mkdir -p full && ln -sf /dev/full full/probes.csv
  expect 1 "probes.csv" "$pliant" run --no-picture scene.xml -o full
  [ ! -e full/summary.json ] && ok || bad "a summary of a run that failed at the start"
fi

# ---- a step above the critical one: refused before the run, with the bound and the remedy ----
scene 's/implicit-euler/rk4/'
expect 1 'and dt is 0.01 s; take substeps="auto", a smaller dt' "$pliant" run --no-picture scene.xml -o refused
"$pliant" run --no-picture scene.xml -o divided --set world.substeps=auto 2>stderr && ok || bad "steps in parts: $(head -c 300 stderr)"

# ---- a step that diverges: named, with the time; the files so far are whole ----
scene 's/implicit-euler/explicit-euler/;s/duration="0.1"/unstable="warn" duration="50"/;s/every="0.05"/every="5"/'
expect 1 "diverged" "$pliant" run --no-picture scene.xml -o diverged
grep -q '"completed": false' diverged/summary.json && ok || bad "a diverged run claims to be complete"
grep -Eq '[:{ ]-?(inf|nan)' diverged/summary.json && bad "a diverged run's summary is not JSON: $(grep -E '(inf|nan)' diverged/summary.json)" || ok

# ---- Ctrl-C ends cleanly; a kill leaves whole files ----
scene 's/duration="0.1"/duration="1000"/'
"$pliant" run --no-picture scene.xml -o stopped -q 2>stderr &
for i in $(seq 200); do [ -e stopped/bar_000001.vtu ] && break; sleep 0.1; done
kill -INT $!
wait $!
[ $? -eq 130 ] && ok || bad "Ctrl-C: wrong exit code"
grep -q '"interrupted": true' stopped/summary.json && ok || bad "Ctrl-C: no summary"
# fewer frames, since each of them is looked at
sed -i 's/every="0.05"/every="0.5"/' scene.xml
"$pliant" run --no-picture scene.xml -o killed -q 2>stderr &
for i in $(seq 200); do [ -e killed/bar_000003.vtu ] && break; sleep 0.1; done
kill -KILL $!
wait $! 2>/dev/null
[ "$(tail -c 1 killed/probes.csv | wc -l)" -eq 1 ] && ok || bad "kill: the last row is cut"
grep -q '</VTKFile>' killed/bar.pvd && ok || bad "kill: bar.pvd is cut"
for file in $(grep -o 'bar_[0-9]*.vtu' killed/bar.pvd); do
  "$pliant" mesh info "killed/$file" >stdout 2>stderr || { bad "kill: $file"; break; }
done

# the next run into the folder removes what the killed one may have left
: >"killed/bar_000009.vtu.$!-7ffd00.part"
"$pliant" run --no-picture scene.xml --set world.duration=0.1 -o killed -q 2>stderr && ok || bad "a run into the folder of a killed one: $(cat stderr)"
ls killed/*.part >/dev/null 2>&1 && bad "kill: .part files stay" || ok

# ---- a run is recorded; going on from its last state; what is no recording is told ----
scene
"$pliant" run --no-picture scene.xml -o taped -q 2>stderr && [ -s taped/recording.plr ] && ok || bad "no recording"
mkdir -p taped-scene && cp taped/recording.plr taped-scene/ && sed 's/<world /<world start="recording.plr" /' scene.xml >taped-scene/scene.xml
"$pliant" run --no-picture taped-scene/scene.xml -o on -q 2>stderr && ok || bad "going on: $(cat stderr)"
[ "$(sed -n 2p on/probes.csv)" = "$(tail -n 1 taped/probes.csv)" ] && ok || bad "it does not begin where the other ended"
# the run's folder has all that is needed: two files of one name, a value that was changed
mkdir -p away/a away/b outside
for k in 1 2; do "$pliant" mesh generate box --size "$k 0.3 0.3" --cells "$k 1 1" -o box$k.msh >stdout 2>stderr; done
mv box1.msh away/a/box.msh && mv box2.msh outside/box.msh
sed -e 's|<mesh .*|<mesh name="bar" file="a/box.msh"/><mesh name="other" file="../outside/box.msh"/><body name="two" mesh="other" material="rubber"/>|' scene.xml >away/scene.xml
"$pliant" run --no-picture away/scene.xml --allow-path --set world.dt=0.005 -o whole -q 2>stderr && ok || bad "a run to be packed: $(cat stderr)"
rm -r away outside && mkdir elsewhere && mv whole elsewhere/
[ -s elsewhere/whole/scene/box.msh ] && [ -s elsewhere/whole/scene/2-box.msh ] && ok || bad "the meshes are not there"
"$pliant" run --no-picture elsewhere/whole/scene/scene.xml -o again -q 2>stderr && ok || bad "the packed scene: $(cat stderr)"
cmp -s elsewhere/whole/probes.csv again/probes.csv && ok || bad "the packed scene is another one"
sed -i 's/recording.plr/none.plr/' taped-scene/scene.xml
expect 1 "none.plr" "$pliant" check taped-scene/scene.xml
if "$pliant" view --help >/dev/null 2>&1; then
  for command in "view taped" "run --replay taped" "view elsewhere/whole"; do
    # the line of the server before must be gone before this one is waited for
    : >stdout
    "$pliant" $command >stdout 2>stderr &
    for i in $(seq 200); do grep -q '^open http' stdout && break; sleep 0.1; done
    grep -q '^open http' stdout && ok || bad "$command: $(cat stderr)"
    kill -INT $!
    wait $!
  done
  expect 1 "recording.plr" "$pliant" view full
  rm elsewhere/whole/scene/scene.xml
  expect 1 "its scene elsewhere/whole/scene/scene.xml is missing" "$pliant" view elsewhere/whole
  printf 'PLIANTR1' >damaged.plr
  expect 1 "damaged.plr" "$pliant" view damaged.plr
fi

# ---- help and lists ----
for command in run check list mesh bench; do
  "$pliant" $command --help | grep -q usage && ok || bad "$command --help"
done
for family in model strain law integrator solver preconditioner generator region load quantity format; do
  "$pliant" list $family | grep -q "^$family:" && ok || bad "list $family"
done
# members, each with its parameters and without the others; a family behind them is whole
"$pliant" list integrator newmark bdf2 solver >stdout 2>stderr && ok || bad "list members: $(cat stderr)"
[ "$(grep -c '^integrator:' stdout)" -eq 2 ] && [ "$(grep -cE '^  (newmark|bdf2) ' stdout)" -eq 2 ] && ok || bad "list members: $(cat stdout)"
grep -q '^      beta ' stdout && ! grep -q '^  verlet ' stdout && grep -q '^  cg ' stdout && grep -q '^  minres ' stdout && ok || bad "list members: $(cat stdout)"
"$pliant" --version | grep -q '^pliant [0-9]' && ok || bad "--version"

# ---- every shipped scene is right ----
for file in "$source"/scenes/*.xml; do
  "$pliant" check "$file" >stdout 2>stderr && ok || bad "$file: $(cat stderr)"
done

# ---- for other programs: JSON, the standard input ----
scene
"$pliant" check - <scene.xml >stdout 2>stderr && grep -q "ok, 1 body" stdout && ok || bad "check -: $(cat stderr)"
"$pliant" run --no-picture - -o from-input -q <scene.xml 2>stderr && ok || bad "run -: $(cat stderr)"
grep state_hash out/summary.json | cmp -s - <(grep state_hash from-input/summary.json) && ok || bad "run - is another run"
# files beside a scene from the standard input are looked for where the command was called
sed 's|<mesh name="bar">.*</mesh>|<mesh name="bar" file="good.msh"/>|' scene.xml >with-file.xml
grep -q good.msh with-file.xml && "$pliant" check - <with-file.xml >stdout 2>stderr && ok || bad "check - with a file: $(cat stderr)"
if [ -x /usr/bin/python3 ]; then
  # notes that come as late as the world is made ready stand among the problems
  sed 's|</pliant>|<obstacle name="floor" shape="plane"/></pliant>|' scene.xml >floor.xml
  "$pliant" check --json floor.xml >floor.json 2>stderr && /usr/bin/python3 -c 'import json; assert json.load(open("floor.json"))[0]["ok"]' && ok || bad "check --json with notes: $(cat floor.json)"
  sed 's/poisson="0.33"/poisson="0.7"/' scene.xml >wrong.xml
  "$pliant" check --json scene.xml wrong.xml nothere.xml >check.json 2>stderr
  [ $? -eq 1 ] && ok || bad "check --json: wrong exit code"
  "$pliant" list --json >list.json 2>stderr && ok || bad "list --json: $(cat stderr)"
  "$pliant" list --json integrator newmark >member.json 2>stderr && ok || bad "list --json of a member: $(cat stderr)"
  "$pliant" mesh info --json good.msh other.stl nothere.msh >info.json 2>stderr
  [ $? -eq 1 ] && ok || bad "mesh info --json: wrong exit code"
  /usr/bin/python3 - <<'PY' && ok || bad "JSON"
import json
good, wrong, missing = json.load(open("check.json"))
assert good["ok"] and good["bodies"] == 1 and good["nodes"] == 63 and not good["problems"], good
assert not wrong["ok"] and wrong["problems"][0]["line"] == 4 and "poisson" in wrong["problems"][0]["text"]
assert not missing["ok"] and missing["problems"], missing
families = {f["family"]: f for f in json.load(open("list.json"))}
assert any(m["name"] == "fem" for m in families["model"]["members"])
(family,) = json.load(open("member.json"))
assert family["family"] == "integrator" and [m["name"] for m in family["members"]] == ["newmark"]
assert family["members"][0] in families["integrator"]["members"] and family["members"][0]["params"]
assert all(p["name"] for f in families.values() for m in f["members"] for p in m["params"])
mesh, surface, missing = json.load(open("info.json"))
assert mesh["ok"] and mesh["elements"] == 24 and len(mesh["sets"]) == 6 and mesh["high"][0] == 1
assert surface["ok"] and surface["triangles"] > 0 and surface["open_edges"] == 0
assert not missing["ok"] and missing["file"] == "nothere.msh"
PY
fi

# ---- colours on terminals only, and not where NO_COLOR is set ----
if [ -x /usr/bin/python3 ]; then
  on_terminal() { /usr/bin/python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' "$@" </dev/null 2>&1; }
  TERM=xterm NO_COLOR= on_terminal "$pliant" run --no-picture nothere.xml | grep -q "$(printf '\033')\[1;31mpliant:" && ok || bad "no colour on a terminal"
  TERM=xterm NO_COLOR=1 on_terminal "$pliant" run --no-picture nothere.xml | grep -q "$(printf '\033')" && bad "NO_COLOR" || ok
  TERM=xterm "$pliant" run --no-picture nothere.xml 2>&1 | grep -q "$(printf '\033')" && bad "colour in a pipe" || ok
  # what takes long shows that it lives, on terminals only
  "$pliant" mesh fill duck --elements 1000 -o duck.vtu 2>&1 | grep -q "filling," && bad "signs of life in a pipe" || ok
fi

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
