#!/usr/bin/env bash
# Runs as .xdmf files: after every frame, and in the end as HDF5, other programs read the numbers
# that the .vtu files of the same run have.
. "${PLIANT_SOURCE:?}/tests/cli/begin.sh"
python=/usr/bin/python3
[ -x $python ] || { echo "left out: there is no $python"; exit 77; }

scene() {
  cat >scene.xml <<XML
<pliant>
  <world dt="0.01" duration="${2:-0.1}"/>
  <integrator method="implicit-euler"/>
  <material name="rubber" young="1e6" poisson="0.33" density="1000"/>
  <mesh name="bar"><box size="1 0.3 0.3" cells="2 1 1" element="$3"/></mesh>
  <body name="a &amp; b" mesh="bar" material="rubber"><fix><set name="x-min"/></fix></body>
  <output every="0.05" format="xdmf" encoding="$1" fields="all"/>
  <output every="0.05" format="vtu" encoding="ascii" fields="all"/>
</pliant>
XML
}

cat >judge.py <<'PY'
"""Reads an .xdmf file by its own words and compares every array with those of the .vtu frames."""
import array, glob, os, re, sys, xml.etree.ElementTree as tree
folder = sys.argv[1]
path = glob.glob(folder + "/*.xdmf")[0]
h5 = None

def numbers(item):
    kind = {"Float8": "d", "Int4": "i", "UChar1": "B"}[item.get("NumberType") + item.get("Precision")]
    count = 1
    for size in item.get("Dimensions").split():
        count *= int(size)
    if item.get("Format") == "Binary":
        values = array.array(kind)
        with open(os.path.join(folder, item.text), "rb") as file:
            file.seek(int(item.get("Seek")))
            values.fromfile(file, count)
        return list(values)
    import h5py
    name, place = item.text.split(":")
    data = h5py.File(os.path.join(folder, name), "r")[place]
    assert list(data.shape) == [int(s) for s in item.get("Dimensions").split()]
    return list(data[...].ravel())

grids = tree.parse(path).getroot().find("Domain/Grid").findall("Grid")
frames = sorted(glob.glob(folder + "/*.vtu"))
# of a run that was killed the last frame may be in one of them only
count = min(len(grids), len(frames)) if sys.argv[2] == "killed" else int(sys.argv[2])
assert abs(len(grids) - count) + abs(len(frames) - count) <= (sys.argv[2] == "killed"), (len(grids), len(frames))
order = [0, 3, 5, 1, 4, 2]  # of tensors: xx xy xz yy yz zz of xx yy zz xy yz xz
for number, (grid, frame) in enumerate(zip(grids, frames)):
    vtu = {a.get("Name"): [float(w) for w in a.text.split()] for a in tree.parse(frame).iter("DataArray") if a.text}
    assert abs(float(grid.find("Time").get("Value")) - 0.05 * number) < 1e-9
    assert numbers(grid.find("Geometry/DataItem")) == vtu["Points"]
    assert numbers(grid.find("Topology/DataItem")) == [int(x) for x in vtu["connectivity"]]
    for attribute in grid.findall("Attribute"):
        values, known = numbers(attribute.find("DataItem")), vtu[attribute.get("Name")]
        if attribute.get("AttributeType") == "Tensor6":
            known = [known[6 * (i // 6) + order[i % 6]] for i in range(len(known))]
        assert values == known, attribute.get("Name")
    assert len(grid.findall("Attribute")) >= 15
print(len(grids), "frames")
PY

for element in tet hex; do
  scene raw 0.1 $element
  "$pliant" run --no-picture -q scene.xml -o raw-$element 2>stderr && $python judge.py raw-$element 3 >stdout 2>&1 && ok || bad "raw $element: $(cat stderr stdout)"
done
# frames are whole while the run goes on, and when it is killed
scene raw 1000 tet
"$pliant" run --no-picture -q scene.xml -o killed 2>stderr &
process=$!
for i in $(seq 200); do [ "$(grep -c '<Time' killed/*.xdmf 2>/dev/null)" -ge 3 ] 2>/dev/null && break; sleep 0.1; done
kill -KILL $process
wait $process 2>/dev/null
$python judge.py killed killed >stdout 2>&1 && ok || bad "killed: $(cat stdout)"
# a shorter run leaves nothing of a longer one
scene raw 0.05 tet
"$pliant" run --no-picture -q scene.xml -o killed 2>stderr && $python judge.py killed 2 >stdout 2>&1 && ok || bad "shorter: $(cat stderr stdout)"

scene hdf5 0.1 tet
if "$pliant" run --no-picture -q scene.xml -o packed 2>stderr; then
  ok
  [ -e packed/*.h5 ] && [ ! -e packed/*.bin ] && [ "$(ls packed | grep -c part)" -eq 0 ] && ok || bad "files: $(ls packed)"
  if $python -c 'import h5py' 2>/dev/null; then
    $python judge.py packed 3 >stdout 2>&1 && ok || bad "hdf5: $(cat stdout)"
  fi
  if $python -c 'import meshio, h5py' 2>/dev/null; then
    (cd packed && $python - *.xdmf) <<'PY' >stdout 2>&1 && ok || bad "meshio: $(cat stdout)"
import sys, meshio
with meshio.xdmf.TimeSeriesReader(sys.argv[1]) as reader:
    points, cells = reader.read_points_cells()
    assert reader.num_steps == 3 and len(points) == 12, (reader.num_steps, len(points))
    time, nodal, of_cells = reader.read_data(2)
    assert abs(time - 0.1) < 1e-9 and abs(nodal["displacement"]).max() > 1e-6
PY
  fi
else
  grep -q "this build has no HDF5: install libhdf5-dev" stderr && ok || bad "hdf5: $(cat stderr)"
fi

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
