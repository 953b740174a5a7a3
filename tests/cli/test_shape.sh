#!/usr/bin/env bash
# A mesh or a surface without a scene: every kind of file that people have ends in a good run or in
# one right sentence, at once.
# label: long
. "${PLIANT_SOURCE:?}/tests/cli/begin.sh"
run() { timeout -s KILL 60 "$pliant" run --no-picture "$@"; }

"$pliant" mesh surface duck --size 0.08 -o duck.stl >stdout 2>stderr || bad "surface: $(cat stderr)"
"$pliant" mesh generate box --size "1 0.3 0.3" --cells "4 1 1" -o box.msh >stdout 2>stderr || bad "box: $(cat stderr)"

# ---- the scene that it wrote runs by the command that it printed, wherever the folder is taken
cp duck.stl "it's one.stl"
run "it's one.stl" --set world.duration=0.1 --progress off >stdout 2>stderr && ok || bad "run a surface: $(cat stderr)"
mkdir -p moved && mv out moved/ && rm "it's one.stl"
command=$(sed -n "s/^  scene *pliant //p" stdout)
[ -n "$command" ] && ok || bad "no command for the scene: $(cat stdout)"
(cd moved && eval "\"\$pliant\" $command -q --set world.duration=0.1" 2>../stderr) && ok || bad "the printed command $command: $(cat stderr)"
cmp -s "moved/out/it's one/probes.csv" moved/out/scene/probes.csv && ok || bad "the scene of a shape is another one"
# the files that a format reads along, and a shape called like a result
"$pliant" mesh convert box.msh pair.node >stdout 2>stderr
run -q pair.node -o pair --set world.duration=0.02 2>stderr && "$pliant" check pair/scene.xml >stdout 2>stderr && ok || bad "the scene of two files: $(cat stderr)"
"$pliant" mesh convert duck.stl body.glb >stdout 2>stderr
run -q body.glb -o body --set world.duration=0.02 2>stderr && cmp -s body.glb body/shape/body.glb && ok || bad "the shape was written over: $(cat stderr)"

# ---- a note is told once, though the surface is read twice; an element given twice is told ----
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\nf 2 3 4\n' >double.obj
run double.obj -o double --set world.duration=0.05 >stdout 2>stderr && ok || bad "double: $(cat stderr)"
[ "$(grep -c "1 triangle of no extent or double was dropped" stderr)" -eq 1 ] && ok || bad "notes: $(cat stderr)"
printf '$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$EndNodes\n$Elements\n3\n1 4 2 0 1 1 2 3 4\n3 4 2 %s 1 1 2 3 4\n2 4 2 0 1 2 3 4 5\n$EndElements\n' 0 >twice.msh
"$pliant" mesh info twice.msh 2>stderr >stdout && grep -q "1 elements stand in the file twice" stderr && ok || bad "twice: $(cat stderr)"
# in another group it is no mistake
sed -i 's/^3 4 2 0/3 4 2 7/' twice.msh
"$pliant" mesh info twice.msh 2>stderr >stdout && ! grep -q twice: stderr && ok || bad "groups: $(cat stderr)"

# ---- a large surface is shown as it came; thin parts are kept; what encloses nothing is refused ----
"$pliant" mesh surface duck --size 0.012 -o large.stl >stdout 2>stderr || bad "large: $(cat stderr)"
run -q large.stl -o large --set world.duration=0.05 2>stderr && ok || bad "large: $(cat stderr)"
points=$(sed -n 's/.*points  *\([0-9]*\)/\1/p' stdout)
[ "$points" -gt 20000 ] && grep -q 'surface="skin"' large/scene.xml && [ -s large/body-surface.glb ] && ok || bad "large: $points points, $(ls large)"
awk 'BEGIN { for (i = 0; i <= 40; i++) for (j = 0; j <= 40; j++) print "v", i, j, 0
  for (i = 0; i < 40; i++) for (j = 1; j <= 40; j++) { a = i * 41 + j; print "f", a, a + 41, a + 42, a + 1 } }' >flat.obj
timeout 5 "$pliant" run --no-picture flat.obj -o flat >stdout 2>stderr
[ $? -eq 1 ] && grep -q "is flat, 0 m along z" stderr && grep -q 'model="cloth"' stderr && ok || bad "flat: $(cat stderr)"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
