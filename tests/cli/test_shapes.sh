#!/usr/bin/env bash
# The surfaces that people try first (shapes.py): each ends in a good run or, at once, in the right
# sentence. Some of them and a few steps; with PLIANT_LONG=1 all of them to their end, and with
# PLIANT_PICTURES=DIR their pictures are kept there.
. "${PLIANT_SOURCE:?}/tests/cli/begin.sh"
python=/usr/bin/python3
[ -x $python ] || { echo "left out: there is no $python"; exit 77; }
$python "$PLIANT_SOURCE/tests/cli/shapes.py" shapes || exit 1
short=(--set world.dt=1e-4 --set world.duration=2e-4 --set "mesh[shape].elements=400")
[ -z "${PLIANT_LONG:-}" ] || short=()

# expect NAME CODE SENTENCE: how a run of the shape ends, and what it says ("" for nothing at all)
expect() {
  local code
  timeout -s KILL 1200 "$pliant" run "shapes/$1" -o "out/$1" --progress off "${short[@]}" >stdout 2>stderr
  code=$?
  [ $code -eq "$2" ] && ok || bad "$1 ends with $code, not $2: $(cat stderr)"
  if [ -n "$3" ]; then
    grep -Eq "$3" stderr && ok || bad "$1 does not say \"$3\": $(cat stderr)"
  else
    ! grep -v "contact is met by" stderr >rest && ok || bad "$1 says $(cat stderr)"
  fi
  [ "$2" -eq 0 ] || return 0
  # the surface as it came lies inside the elements, to the tolerance of pl_embed_holds
  ! grep -q "thin parts may be torn" stderr && ok || bad "$1: $(cat stderr)"
  ! grep -q "inverted elements" stderr && ok || bad "$1: $(cat stderr)"
  [ "$(stat -c %s "out/$1/picture.png")" -gt 20000 ] && ok || bad "$1: no picture"
  grep -q '"completed": true' "out/$1/summary.json" && ok || bad "$1: no summary"
  [ -z "${PLIANT_PICTURES:-}" ] || cp "out/$1/picture.png" "$PLIANT_PICTURES/$1.png"
}

# ---- in every check: what is refused, which costs nothing, and one of each kind that runs ----
expect flat.obj 1 "is flat, 0 m along z"
expect lines.obj 1 "holds no triangles"
expect not-a-number.obj 1 'the coordinate is "nan"; it must be a finite number'
expect out-of-range.obj 1 "out-of-range.obj:4: .*vertex 8.*there are 3"
expect empty.stl 1 "empty.stl: the file is empty"
expect draco.glb 1 "KHR_draco_mesh_compression, .*export it without"
expect inside-out.stl 0 "400 triangles were turned outwards"
expect looks.glb 0 ""
expect strips.ply 0 ""
expect micrometres.obj 0 ""
# the handle is a surface of its own: not one piece of it hangs loose
"$pliant" mesh fill shapes/teapot.obj --elements 4000 -o teapot.vtu >stdout 2>stderr && grep -q "tetrahedra in 1 piece" stdout && ok || bad "teapot: $(cat stdout stderr)"
# a picture on the shape goes along
expect textured.glb 0 ""
cmp -s <(head -c 8 out/textured.glb/shape/textured.glb.png) <(printf '\x89PNG\r\n\x1a\n') && ok || bad "the picture of textured.glb is lost"
grep -aq '"mimeType":"image/png"' out/textured.glb/body-surface.glb && grep -aq TEXCOORD_0 out/textured.glb/body-surface.glb && ok || bad "the animation of textured.glb has no picture"

if [ -n "${PLIANT_LONG:-}" ]; then
  for name in torus.obj rocker.obj hollow.obj crossing.obj millimetres.obj far-away.obj polygons.obj plain.glb scan.ply; do
    expect $name 0 ""
  done
  expect pieces.off 0 "of 427 pieces that lie apart, some .* move as one"
  expect teapot.obj 0 "8 small holes were closed"
  expect hare.ply 0 "filled by a cage"
  expect cow.obj 0 "filled by a cage"
  expect sunglasses.stl 0 "filled by a cage"
  expect half-turned.off 0 "200 triangles were turned outwards"
  expect small-holes.obj 0 "2 small holes were closed"
  expect bowl.obj 0 "1 small hole was closed"
  expect edge-shared.obj 0 "1 edge belongs to more than two triangles"
  expect moebius.obj 0 "edges are open"
  expect tilted.obj 1 "surface is open, with 116 edges of one triangle, and encloses nothing"
fi
[ ! -e out/empty.stl/picture.png ] && ok || bad "a picture of nothing"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
