#!/usr/bin/env bash
# Other programs read what Pliant writes, and the other way round: Gmsh meshes doors/box.geo, Blender imports runs by
# doors/blender.py (the real one where it is there, else a stand-in for bpy), ParaView opens the state beside a run.
set -eu
if nm -D "$PLIANT_BUILD/libpliant.so" | grep -qE '__(asan|tsan)_init'; then
  echo "skipped: the library is built with a sanitizer, which other programs cannot load"
  exit 77
fi
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work"

# A display of its own: the server chooses a free number and writes it once it takes connections. 1: there is none.
start_display() {
  command -v Xvfb >/dev/null || return 1
  : >display
  Xvfb -displayfd 3 -screen 0 800x600x24 -nolisten tcp 3>display 2>xvfb.log &
  server=$!
  for _ in $(seq 100); do
    [ -s display ] && break
    kill -0 $server 2>/dev/null || break
    sleep 0.1
  done
  [ -s display ] || return 1
  export DISPLAY=:$(cat display)
}
pliant=$PLIANT_COMMAND
cat >bar.xml <<'END'
<pliant title="a bar">
  <world dt="0.01" duration="0.1"/>
  <material name="rubber" young="1e6" poisson="0.33" density="1000"/>
  <mesh name="bar"><box size="1 0.25 0.25" cells="6 2 2"/></mesh>
  <body name="bar" mesh="bar" material="rubber"><fix><set name="x-min"/></fix></body>
  <output every="0.02" format="pc2"/>
  <output every="0.02" format="vtu"/>
</pliant>
END
"$pliant" run bar.xml -q -o caches
sed '/<output/d' bar.xml >plain.xml
"$pliant" run plain.xml -q -o plain
sed '/vtu/d; s/pc2/glb/' bar.xml >glb.xml
"$pliant" run glb.xml -q -o glb

# ParaView: a state where there are frames, and none where there are none
[ -s caches/paraview.py ] && [ ! -e plain/paraview.py ]
/usr/bin/python3 -m py_compile caches/paraview.py
if command -v pvpython >/dev/null && start_display; then
  cat >look.py <<'END'
exec(open('caches/paraview.py').read().replace("__file__", repr("caches/paraview.py")))
times = GetAnimationScene().TimeKeeper.TimestepValues
assert len(readers) == 1 and len(times) == 6 and abs(times[-1] - 0.1) < 1e-9, (readers, times)
SaveScreenshot("paraview.png", view, ImageResolution=[600, 400])
print("paraview:", readers[0].GetDataInformation().GetNumberOfCells(), "cells,", len(times), "times")
END
  timeout 120 pvpython look.py
else
  echo "ParaView, or a display for it (packages paraview, xvfb), is not there: its state was only compiled"
fi

# Blender
blend() { # FOLDER: names of objects, frames, and how low the last frame is
  if command -v blender >/dev/null; then
    cat >look_blender.py <<'END'
import bpy, sys, os
sys.argv = ["blender", "--", sys.argv[-1]]
sys.path.insert(0, os.environ["PLIANT_SOURCE"] + "/doors")
import blender
blender.main(sys.argv[2:])
scene = bpy.context.scene
scene.frame_set(scene.frame_end)
for each in [o for o in bpy.data.objects if o.type == "MESH"]:
    mesh = each.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    print("blender:", each.name, scene.frame_end, round(min(v.co.z for v in mesh.vertices), 4), len(mesh.vertices))
END
    timeout 200 blender --background --factory-startup --python-exit-code 1 --python look_blender.py -- "$1" 2>&1
  else
    cat >bpy.py <<'END'
"""A stand-in for Blender's module: what doors/blender.py asks of it, and nothing more."""
from types import SimpleNamespace as Any


class Mesh:
    def __init__(self, name):
        self.name = name

    def from_pydata(self, points, edges, faces):
        assert points and faces and all(0 <= i < len(points) for f in faces for i in f)
        self.points, self.faces = points, faces

    def update(self):
        pass


class Objects(dict):
    def new(self, name, mesh):
        self[name] = Any(name=name, data=mesh, modifiers=Any(new=lambda n, kind: self.setdefault(kind, Any(name=n))))
        return self[name]


data = Any(meshes=Any(new=Mesh), objects=Objects())
context = Any(scene=Any(collection=Any(objects=Any(link=lambda each: None)), frame_start=0, frame_end=0))
END
    PYTHONPATH=$work:$PYTHONPATH /usr/bin/python3 - "$1" <<'END'
import os, sys
sys.path.insert(0, os.environ["PLIANT_SOURCE"] + "/doors")
import blender, bpy, numpy
made = blender.import_run(sys.argv[1])
cache = bpy.data.objects["MESH_CACHE"]
assert cache.cache_format == "PC2" and cache.up_axis == "POS_Z"
points = numpy.frombuffer(open(cache.filepath, "rb").read()[32:], "<f4").reshape(bpy.context.scene.frame_end, -1, 3)
print("blender:", made[0].name, bpy.context.scene.frame_end, round(float(points[-1, :, 2].min()), 4), points.shape[1])
END
  fi
}
export PYTHONPATH=$PLIANT_SOURCE/python PLIANT_LIBRARY=$PLIANT_BUILD/libpliant.so PLIANT_SOURCE PYTHONDONTWRITEBYTECODE=1
for folder in caches plain glb; do
  # the stand-in knows no glTF
  if [ $folder = glb ] && ! command -v blender >/dev/null; then continue; fi
  if [ $folder = plain ] && ! /usr/bin/python3 -c 'import cffi, numpy' 2>/dev/null; then continue; fi
  said=$(blend $folder)
  grep '^blender: bar ' <<<"$said" || {
    echo "$said"
    exit 1
  }
  [ "$(awk '/^blender: bar /{print ($4 < -0.01)}' <<<"$said")" = 1 ]
done
blend caches | awk '/^blender: bar /{if ($3 != 6) exit 1}'

# Gmsh
if command -v gmsh >/dev/null; then
  cp "$PLIANT_SOURCE"/doors/box.geo "$PLIANT_SOURCE"/doors/block.xml .
  gmsh -3 box.geo -o block.msh >/dev/null
  "$pliant" mesh info block.msh | grep -q 'left: '
  "$pliant" run block.xml -q -o block
  # pulled by 1e5 Pa at 1e6 Pa of stiffness, more where the hole is: 10 to 20 % longer
  tail -1 block/probes.csv | awk -F, '{print "gmsh: pulled by", $2, "m"; if (!($2 > 0.1 && $2 < 0.2)) exit 1}'
else
  echo "Gmsh is not there: doors/box.geo was not tried"
fi
