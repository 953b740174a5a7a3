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
if ! "$PLIANT_COMMAND" run -q scene.xml -o smooth 2>stderr; then
  grep -q "no XML" stderr && echo "skipped: this build reads no scenes" && exit 77
  cat stderr
  exit 1
fi
sed 's/format="glb"/format="glb" shading="flat" up="y"/' scene.xml >flat.xml
"$PLIANT_COMMAND" run -q flat.xml -o flat
sed -e 's/format="glb"/format="glb" bodies="together"/' -e 's|</pliant>|<body name="other" mesh="bar" material="rubber"/></pliant>|' scene.xml >two.xml
"$PLIANT_COMMAND" run -q two.xml -o two
"$PLIANT_COMMAND" mesh generate sphere -o sphere.msh >/dev/null
"$PLIANT_COMMAND" mesh convert sphere.msh still.glb >/dev/null
"$PLIANT_COMMAND" mesh convert still.glb again.glb >/dev/null
mv smooth/soft_bar.glb smooth.glb
mv flat/soft_bar.glb flat.glb
node "$PLIANT_SOURCE/tests/io/gltf_judge.mjs" "$tools" smooth.glb flat.glb two/bodies.glb still.glb again.glb

if [ -e "$PLIANT_SOURCE/viewer/node_modules/three" ]; then
  node "$PLIANT_SOURCE/tests/io/three_judge.mjs" "$PLIANT_SOURCE/viewer" smooth.glb smooth/soft_bar.pc2
else
  echo "three.js is not there: left out"
fi
