#!/bin/bash
# Independent judges of our .glb files: Khronos' validator finds no error and no warning in them, and
# three.js, where the viewer's packages are there, plays the animation through the positions of the
# point cache of the same run. Skipped (77) without node or the validator.
set -eu
tools=$PLIANT_SOURCE/build/tools
if ! command -v node >/dev/null || [ ! -e "$tools/node_modules/gltf-validator" ]; then
  echo "skipped: gltf-validator is not there (scripts/install-deps.sh check)"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >scene.xml <<'XML'
<pliant>
  <world dt="0.01" duration="0.4"/>
  <material name="rubber" young="1e5" poisson="0.3"/>
  <mesh name="bar"><box size="1 0.3 0.2" cells="5 2 2"/></mesh>
  <body name="soft bar" mesh="bar" material="rubber">
    <fix><box min="-1 -1 -1" max="0.01 1 1"/></fix>
  </body>
  <output every="0.04" format="glb"/>
  <output every="0.04" format="pc2"/>
</pliant>
XML
if ! "$PLIANT_COMMAND" run --no-picture -q scene.xml -o smooth 2>stderr; then
  grep -q "no XML" stderr && echo "skipped: this build reads no scenes" && exit 77
  cat stderr
  exit 1
fi
sed 's/format="glb"/format="glb" shading="flat" up="y"/' scene.xml >flat.xml
"$PLIANT_COMMAND" run --no-picture -q flat.xml -o flat
sed -e 's/format="glb"/format="glb" bodies="together"/' -e 's|</pliant>|<body name="other" mesh="bar" material="rubber"/></pliant>|' scene.xml >two.xml
"$PLIANT_COMMAND" run --no-picture -q two.xml -o two
"$PLIANT_COMMAND" mesh generate sphere -o sphere.msh >/dev/null
"$PLIANT_COMMAND" mesh convert sphere.msh still.glb >/dev/null
"$PLIANT_COMMAND" mesh convert still.glb again.glb >/dev/null
mv smooth/soft_bar.glb smooth.glb
mv flat/soft_bar.glb flat.glb
# a picture on one of two bodies, in files of their own and in one
painted=()
if [ -x /usr/bin/python3 ]; then
  (cd "$folder" && /usr/bin/python3 -B -c "
import sys
sys.path.insert(0, '$PLIANT_SOURCE/tests/cli')
import shapes
shapes.write_glb('painted.glb', shapes.ball(8, 16), True)")
  "$PLIANT_COMMAND" run --no-picture -q painted.glb -o painted --set world.dt=0.01 --set world.duration=0.1 --set "output[2].every=0.02" --set "mesh[shape].elements=200"
  sed -e 's|format="glb"|format="glb" bodies="together"|' -e 's|</pliant>|<mesh name="bar"><box size="1 0.3 0.2" cells="5 2 2"/></mesh><body name="other" mesh="bar" material="rubber"/></pliant>|' painted/scene.xml >painted/both.xml
  "$PLIANT_COMMAND" run --no-picture -q painted/both.xml -o both --set world.dt=0.01 --set world.duration=0.1 --set "output[2].every=0.02" --set "mesh[shape].elements=200"
  mv painted/body-surface.glb painted-run.glb
  painted=(painted-run.glb both/bodies.glb)
  /usr/bin/python3 - painted.glb "${painted[@]}" <<'PY'
import json, struct, sys
def parts(path):
    data = open(path, "rb").read()
    size = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20:20 + size]), data[28 + size:]
def image(path):
    tree, binary = parts(path)
    view = tree["bufferViews"][tree["images"][0]["bufferView"]]
    return binary[view["byteOffset"]:view["byteOffset"] + view["byteLength"]]
def corners(path):
    """Of every triangle the texture coordinates, whatever the order."""
    tree, binary = parts(path)
    for mesh in tree["meshes"]:
        p = mesh["primitives"][0]
        if "TEXCOORD_0" not in p["attributes"]: continue
        def read(number, width, code):
            a = tree["accessors"][number]
            start = tree["bufferViews"][a["bufferView"]].get("byteOffset", 0) + a.get("byteOffset", 0)
            flat = struct.unpack_from("<%d%s" % (a["count"] * width, code), binary, start)
            return [flat[width * i:width * i + width] for i in range(a["count"])]
        spots, indices = read(p["attributes"]["TEXCOORD_0"], 2, "f"), read(p["indices"], 1, "I")
        assert len(spots) == tree["accessors"][p["attributes"]["POSITION"]]["count"]
        points = [tuple(round(x, 5) for x in spots[i[0]]) for i in indices]
        return sorted(tuple(sorted(points[k:k + 3])) for k in range(0, len(points), 3))
for path in sys.argv[2:]:
    assert image(path) == image(sys.argv[1]), path
    assert corners(path) == corners(sys.argv[1]), path
print("pictures and texture coordinates are those of the shape")
PY
fi
node "$PLIANT_SOURCE/tests/io/gltf_judge.mjs" "$tools" smooth.glb flat.glb two/bodies.glb still.glb again.glb "${painted[@]}"

if [ -e "$PLIANT_SOURCE/viewer/node_modules/three" ]; then
  node "$PLIANT_SOURCE/tests/io/three_judge.mjs" "$PLIANT_SOURCE/viewer" smooth.glb smooth/soft_bar.pc2
else
  echo "three.js is not there: left out"
fi
