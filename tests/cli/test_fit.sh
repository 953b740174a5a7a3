#!/usr/bin/env bash
# pliant fit: published residuals, a fitted element in a scene, warnings, and wrong tables.
. "${PLIANT_SOURCE:?}/tests/cli/begin.sh"
data=$PLIANT_SOURCE/examples/fit

"$pliant" fit "$data/treloar.csv" --plot t.svg -o ogden.xml >stdout 2>stderr && ok || bad "ogden: $(cat stderr)"
near() { awk -v mode="$1" -v rms="$2" '$1 == mode && $3 < 1.02 * rms && $3 > 0.98 * rms { found = 1 } END { exit !found }' stdout && ok || bad "$1: $(cat stdout)"; }
near uniaxial 84900
near equibiaxial 40000
near planar 30700
grep -q '<svg' t.svg && grep -q 'law="ogden"' ogden.xml && ok || bad "no plot or element"
[ ! -s stderr ] && ok || bad "three modes warn: $(cat stderr)"
"$pliant" fit "$data/treloar.csv" --law reduced-polynomial >stdout 2>stderr && ok || bad "yeoh: $(cat stderr)"
near uniaxial 158000
near equibiaxial 180400
near planar 34000

# one mode warns, with what it says of the others
"$pliant" fit "$data/treloar.csv" --where mode=uniaxial >stdout 2>stderr && grep -q "all rows are uniaxial; other modes are a guess" stderr && ok || bad "one mode: $(cat stderr)"
grep -q 'law="reduced-polynomial"' stdout && ok || bad "one mode takes Yeoh: $(cat stdout)"
"$pliant" fit "$data/treloar.csv" --where mode=uniaxial --law ogden >stdout 2>stderr && grep -q "factors of hundreds" stderr && ok || bad "ogden of one mode: $(cat stderr)"

# the element in a scene: a cube of quadratic tetrahedra, pulled by the stress that the fit has at a stretch of 2, is twice as long
stress=$(sed 's/.*mu1="\([^"]*\)" alpha1="\([^"]*\)" mu2="\([^"]*\)" alpha2="\([^"]*\)" mu3="\([^"]*\)" alpha3="\([^"]*\)".*/\1 \2 \3 \4 \5 \6/' ogden.xml |
  awk '{ for (i = 1; i < 6; i += 2) P += $i * (2 ^ ($(i + 1) - 1) - 2 ^ (-$(i + 1) / 2 - 1)); printf "%.9g", P }')
cat >cube.xml <<END
<pliant>
  <world dt="1" duration="1" gravity="0 0 0"/>
  <integrator method="static" load-steps="8"/>
  $(sed 's/bulk="[^"]*"/bulk="1e9"/' ogden.xml)
  <mesh name="cube" element="tet10"><box size="1 1 1" cells="1 1 1"/></mesh>
  <body name="cube" mesh="cube" material="fitted">
    <fix axes="x"><set name="x-min"/></fix>
    <fix axes="y"><set name="y-min"/></fix>
    <fix axes="z"><set name="z-min"/></fix>
    <traction value="$stress 0 0"><set name="x-max"/></traction>
  </body>
  <probe name="end" body="cube" at="1 0.5 0.5" quantity="displacement"/>
</pliant>
END
"$pliant" run --no-picture -q cube.xml -o cube >stdout 2>stderr && ok || bad "the fitted element: $(cat stderr)"
tail -1 cube/probes.csv | awk -F, '{ exit !($2 > 0.999 && $2 < 1.001) }' && ok || bad "the cube is not twice as long: $(tail -1 cube/probes.csv)"

# ---- series ----
"$pliant" fit "$data/relaxation.csv" --terms 3 --plot r.svg >stdout 2>stderr && grep -q 'prony="0.533' stdout && ok || bad "relaxation: $(cat stderr)"
"$pliant" fit --q 4.8 >stdout 2>stderr && grep -q "6 terms: within 4.39 %" stdout && ok || bad "constant q: $(cat stdout stderr)"
"$pliant" fit --q 4.8 >again 2>stderr && cmp -s stdout again && ok || bad "two runs differ"

# ---- force and displacement: a column under traction, whose stiffness is known ----
cat >column.xml <<'END'
<pliant>
  <world dt="0.1" duration="1" gravity="0 0 0"/>
  <integrator method="static"/>
  <material name="soft" law="hooke" young="1000" poisson="0"/>
  <mesh name="bar"><box size="1 0.1 0.1" cells="4 1 1"/></mesh>
  <body name="bar" mesh="bar" material="soft" strain="linear">
    <fix><set name="x-min"/></fix>
    <traction value="100 0 0" ramp="0 0, 1 1"><set name="x-max"/></traction>
  </body>
  <probe name="end" body="bar" at="1 0.05 0.05" quantity="displacement"/>
  <probe name="pull" body="bar" at="0.5 0.05 0.05" quantity="stress"/>
</pliant>
END
printf 'displacement [mm],force [N]\n10,25\n20,50\n40,100\n' >pull.csv
"$pliant" fit pull.csv --scene column.xml --force pull.x --displacement end.x --parameter 'material[soft].young=1000' --plot p.svg >stdout 2>stderr && ok || bad "a scene: $(cat stderr)"
awk -F'[= ]' '/--set/ { found = $5 > 2499 && $5 < 2501 } END { exit !found }' stdout && ok || bad "a scene: $(cat stdout)"
# ---- wrong tables: one line each ----
wrong() { printf "$1" >wrong.csv; "$pliant" fit wrong.csv >stdout 2>stderr; [ $? -eq 1 ] && grep -q "$2" stderr && [ "$(wc -l <stderr)" -eq 1 ] && ok || bad "$2: $(cat stderr)"; }
wrong 'a,b\n1,2\n' "no known measurement"
wrong 'stretch,stress\n1.1,1\n1.2,2\n' "2 rows are too few"
wrong 'stretch,stress\n1.1,1\n-1.2,2\n1.3,3\n' "wrong.csv:3: a stretch of -1.2"
wrong 'stretch,stress\n1.1,-1\n1.2,-2\n1.3,-3\n' "change its sign"
wrong 'stretch,stress\n1.1,1\n1.2,nan\n1.3,3\n' "wrong.csv:3: stress = \"nan\" is not a finite number"
wrong 'stretch,stress\n1.1,1\n1.1,2\n1.1,3\n' "measure at several"
wrong 'stretch,stress [foot]\n1.1,1\n' "the unit \[foot\] is not known"
wrong 'mode,stretch,stress\nbent,1.1,1\nbent,1.2,2\nbent,1.3,3\n' "mode \"bent\" is not known"
wrong 'time,modulus\n1,2\n1,3\n2,1\n' "must be later"
wrong 'time,modulus\n1,2\n2,1\n' "too few for the"
wrong 'stretch,stress\n' "no row of measurements"
wrong 'displacement,force\n1,2\n2,3\n3,4\n' "need --scene"
"$pliant" fit >stdout 2>stderr; [ $? -eq 2 ] && ok || bad "no table: $(cat stderr)"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
