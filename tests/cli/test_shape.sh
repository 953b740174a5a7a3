#!/usr/bin/env bash
# A mesh or a surface without a scene: every kind of file that people have ends in a good run or in
# one right sentence, at once.
. "${PLIANT_SOURCE:?}/tests/cli/begin.sh"
run() { timeout -s KILL 60 "$pliant" run "$@"; }

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

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
