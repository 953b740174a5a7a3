#!/usr/bin/env bash
# pliant study as a user meets it: results, resuming, and one clear sentence for everything wrong,
# with nothing written.
# label: long
. "${PLIANT_SOURCE:?}/tests/cli/begin.sh"
check() { if "$@"; then ok; else bad "$*"; fi; }

cat >bar.xml <<'XML'
<pliant title="test">
  <world dt="0.01" duration="0.1" gravity="0 0 -1"/>
  <integrator method="implicit-euler"/>
  <solver method="cg"/>
  <material name="rubber" law="hooke" young="1e5" poisson="0.3" density="1000"/>
  <mesh name="bar"><box size="1 0.3 0.3" cells="3 1 1"/></mesh>
  <body name="bar" model="fem" mesh="bar" material="rubber" strain="green">
    <fix><set name="x-min"/></fix>
  </body>
  <probe name="tip" body="bar" at="1 0.15 0.15" quantity="displacement"/>
</pliant>
XML

study() { # a small good study with the given change applied by sed
  sed "${1:-}" >study.xml <<'XML'
<study title="Small" scene="bar.xml" set="solver.tolerance=1e-10">
  <vary name="method"><option name="midpoint" set="integrator.method=implicit-midpoint"/>
    <option name="Euler" set="integrator.method=implicit-euler; integrator.newton=20"/></vary>
  <vary name="dt" unit="s" path="world.dt" values="0.02 0.01 0.005"/>
  <reference set="integrator.method=rk4; world.dt=1e-4"/>
  <measure error="positions"/>
  <table title="Error" rows="method" columns="dt" value="error"/>
  <plot name="order" x="dt" y="error" by="method" scale="log" fit="order"><mark axis="y" from="1e-3" label="1 mm"/></plot>
</study>
XML
}

# ---- a study and what it writes ----
study
check "$pliant" study study.xml -o out -q
for file in results.csv results.md order.svg reference.csv; do check test -s "out/$file"; done
check [ "$(wc -l <out/results.csv)" -eq 7 ]
check grep -q '^| midpoint | .* | .* | .* |$' out/results.md
check grep -q 'midpoint (order \(1.9\|2.0\)' out/order.svg
check grep -q 'Euler (order 0.9\|Euler (order 1.0' out/order.svg
check [ -z "$(ls out | grep part)" ]

# ---- shards: jobs on many machines share out the cases; the command without a shard collects them ----
check "$pliant" study study.xml -o shards -q --shard 2/3
check [ "$(wc -l <shards/results.d/2-of-3.csv)" -eq 4 ]
check [ ! -e shards/results.csv ]
check "$pliant" study study.xml -o shards -q --shard 1/3
sed -i 's/^\(midpoint,0.01,,\)[^,]*/\1123/' shards/results.d/2-of-3.csv
check "$pliant" study study.xml -o shards -q
check [ "$(wc -l <shards/results.csv)" -eq 7 ]
check grep -q '^midpoint,0.01,,123,' shards/results.csv
# the same numbers as those of one process, but for times and the row above
numbers() { grep -v '^midpoint,0.01' "$1/results.csv" | cut -d, -f1,2,3,6-; }
check [ "$(numbers out)" = "$(numbers shards)" ]
for word in 0/3 4/3 3 1/3x a/b; do
  "$pliant" study study.xml -o shards --shard "$word" 2>stderr
  check [ $? -eq 2 ]
  check grep -q "two numbers are needed" stderr
done

# ---- resuming: rows that are there are kept, missing ones are run, others are not trusted ----
sed -i '/^midpoint,0.01/d; s/^\(midpoint,0.02,,\)[^,]*/\1123/' out/results.csv
check "$pliant" study study.xml -o out -q
check grep -q '^midpoint,0.02,,123,' out/results.csv
check [ "$(wc -l <out/results.csv)" -eq 7 ]
check "$pliant" study study.xml -o out -q --fresh
check [ "$(grep -c '^midpoint,0.02,,123,' out/results.csv)" -eq 0 ]
sed -i 's/^\(midpoint,0.02,,\)[^,]*/\1123/' out/results.csv
study 's/0.005/0.0025/'
check "$pliant" study study.xml -o out -q
check [ "$(grep -c '^midpoint,0.02,,123,' out/results.csv)" -eq 0 ]

# ---- a range, a bisection, a case that fails ----
study 's/values="[^"]*"/from="0.02" to="0.005" count="3"/'
check "$pliant" study study.xml -o range -q
check grep -q '^Euler,0.01,' range/results.csv
cat >limit.xml <<'XML'
<study scene="bar.xml" set="world.halvings=0; world.unstable=warn; world.duration=0.5">
  <vary name="method" path="integrator.method" values="rk4 implicit-midpoint"/>
  <bisect path="world.dt" unit="s" from="1e-4" to="0.1" accept="displacement" below="1"/>
  <table rows="method" value="found"/>
</study>
XML
check "$pliant" study limit.xml -o limit -q
check grep -q '^| implicit-midpoint | 0.1 |$' limit/results.md
check grep -q '^| rk4 | 0.0[0-9]* |$' limit/results.md
sed -i 's/below="1"/below="1" search="up"/' limit.xml
check "$pliant" study limit.xml -o climb -q
check grep -q '^| implicit-midpoint | 0.1 |$' climb/results.md
check grep -q '^| rk4 | 0.0[0-9]* |$' climb/results.md
study 's/implicit-midpoint/explicit-midpoint/; s/0.02 0.01 0.005/0.1 0.05/; s/solver.tol/world.duration=3; world.halvings=0; world.unstable=warn; solver.tol/; s/value="error"\/>/value="error"><given title="book" values="2 2" beside="0.1"\/><\/table>/'
check "$pliant" study study.xml -o fails -q
check grep -q '^midpoint,0.1,"at t = .*diverged' fails/results.csv
check grep -q '| midpoint | failed | 2 |' fails/results.md

# ---- energy and a probe as the measure ----
study 's/error="positions"/error="energy"/'
check "$pliant" study study.xml -o energy -q
check grep -q 'midpoint (order \(1.[89]\|2.[0-2]\)' energy/order.svg
study 's/error="positions"/error="probe" probe="tip"/'
check "$pliant" study study.xml -o probe -q
check grep -q 'midpoint (order \(1.9\|2.0\)' probe/order.svg

# ---- curves over time and published columns; both can be added to results that are there ----
study
check "$pliant" study study.xml -o series -q
check [ ! -e series/series ]
study 's/value="error"\/>/value="error"><given title="book" values="1.5 2.5"\/><\/table><plot name="motion" x="time" y="tip.z" by="method" where="dt=0.01"\/>/'
check "$pliant" study study.xml -o series -q
check grep -q 'time (s)\|>time' series/motion.svg
check grep -q '>midpoint<' series/motion.svg
check [ "$(wc -l <series/series/case-2.csv)" -eq 13 ]
check grep -q '^| Euler | .* | 2.5 |$' series/results.md
# beside the column they belong to, with what ours is of theirs, and a sentence
study 's/value="error"\/>/value="error" note="Why so."><given title="book" values="1e9 -" beside="0.02"\/><\/table>/'
check "$pliant" study study.xml -o series -q
check grep -q '^| method | dt = 0.02 | \*book\* | dt = 0.01 | dt = 0.005 |$' series/results.md
check grep -q '^| midpoint | [0-9.e-]* | 1e9 (x [0-9.]*e-[0-9]*) | ' series/results.md
check grep -q '^| Euler | [0-9.e-]* | - | ' series/results.md
check grep -q '^Why so.$' series/results.md
# the smallest case: one row, no reference, and nothing of it is taken for the whole
study 's/<study /<study smallest="dt=0.01" /'
check "$pliant" study study.xml -o least -q --smallest
check [ "$(wc -l <least/results.csv)" -eq 2 ]
check grep -q '^midpoint,0.01,' least/results.csv
check [ ! -e least/reference.csv ]
study 's/<study /<study smallest="dt=0.01" smallest-set="world.duration=0.02" /'
check "$pliant" study study.xml -o shorter -q --smallest
check [ "$(sed -n 's/^midpoint,0.01,[^,]*,[^,]*,[^,]*,\([0-9]*\),.*/\1/p' shorter/results.csv)" -eq 2 ]
check "$pliant" study study.xml -o least -q
check [ "$(wc -l <least/results.csv)" -eq 7 ]
study 's/value="error"\/>/value="error"><given title="book" values="1.5 2.5"\/><\/table><plot name="motion" x="time" y="tip.z" by="method" where="dt=0.01"\/>/'
# a series of another study is not taken
sed -i '1s/.*/# other/' series/series/case-2.csv
check "$pliant" study study.xml -o series -q
check [ "$(grep -c other series/series/case-2.csv)" -eq 0 ]

# ---- several cases at once give the same numbers, and a killed study goes on ----
columns() { cut -d, -f1-3,6- "$1"; } # without times
study
check "$pliant" study study.xml -o one -q -j 1
check "$pliant" study study.xml -o four -q -j 4
check [ "$(columns one/results.csv)" = "$(columns four/results.csv)" ]
study 's/0.02 0.01 0.005/0.001 0.0005 0.00025 0.0002 0.0001/'
"$pliant" study study.xml -o killed -q &
for _ in $(seq 100); do
  sleep 0.05
  [ "$(cat killed/results.csv 2>/dev/null | wc -l)" -ge 3 ] && break
done
kill -9 $! && wait $! 2>/dev/null
rows=$(wc -l <killed/results.csv)
check [ "$rows" -ge 3 ]
check "$pliant" study study.xml -o killed >stdout
check grep -q "^[1-9][0-9]* of 10 cases were done before" stdout
check [ "$(wc -l <killed/results.csv)" -eq 11 ]

# ---- a reference by method and tolerance, where the build has SUNDIALS ----
study 's/<reference [^>]*>/<reference method="fehlberg8" tolerance="1e-12"\/>/'
if "$pliant" list integrator | grep -q 'not in this build'; then
  "$pliant" study study.xml -o adaptive >stdout 2>stderr && bad "a method that is not there"
  check grep -q 'needs SUNDIALS' stderr
  check [ ! -e adaptive ]
else
  check "$pliant" study study.xml -o adaptive -q
  check grep -q 'midpoint (order \(1.9\|2.0\)' adaptive/order.svg
fi

# ---- everything that is wrong: one sentence, nothing written ----
refuse() { # SED PART
  study "$1"
  "$pliant" study study.xml -o none >stdout 2>stderr
  local got=$?
  if [ $got -ne 1 ]; then bad "$1: exit $got"; return; fi
  if ! grep -qF -- "$2" stderr; then bad "$1: stderr lacks '$2': $(cat stderr)"; return; fi
  if [ "$(wc -l <stderr)" -ne 1 ]; then bad "$1: more than one line: $(cat stderr)"; return; fi
  if [ -e none ]; then bad "$1: something was written"; rm -rf none; return; fi
  ok
}
refuse 's/path="world.dt"/path="wrold.dt"/' 'did you mean "world"?'
refuse 's/path="world.dt"/path="world.td"/' 'unknown attribute "td"'
refuse 's/implicit-midpoint/implicit-midpint/' 'did you mean "implicit-midpoint"?'
refuse 's/0.005"/0"/' 'dt = 0 must lie between'
refuse 's/0.005"/-0.01"/' 'dt = -0.01 must lie between'
refuse 's/0.005"/nan"/' 'dt = nan must lie between'
refuse 's/0.005"/0.03"/' 'dt = 0.03 s does not divide the duration of 0.1 s'
refuse 's/rk4/rk5/' 'reference: '
refuse 's/0.005"/0.2"/' 'dt = 0.2 must not be longer than the duration of 0.1 s'
refuse 's/<reference [^>]*>/<reference method="fehlberg8"\/>/' 'tolerance is missing'
refuse 's/<reference [^>]*>/<reference method="fehlberg8" set="a.b=1"\/>/' 'needs either method='
refuse 's/<measure /<bisect path="world.dt" from="0.01" to="0.1" search="left"\/><measure /' 'must be up or down'
refuse 's/x="dt" y="error"/x="time" y="error"/' 'must be a probe of the scene'
refuse 's/value="error"\/>/value="error"><given title="book" values="1 2 3"\/><\/table>/' 'gives 3 values for 2 rows'
refuse 's/value="error"\/>/value="error"><given title="book" values="1 2" beside="7"\/><\/table>/' 'beside = "7" is no column'
refuse 's/<study /<study smallest="dt=7" /' 'smallest = "dt=7" fits no case'
refuse 's/value="error"/value="eror"/' 'study.xml:7: table: unknown column "eror"; did you mean "error"?'
refuse 's/by="method"/by="error"/' 'must name something that is varied'
refuse 's/<measure error="positions"/<measure error="position"/' 'did you mean "positions"?'
refuse 's/<measure error="positions"/<measure error="probe" probe="top"/' 'there is no probe "top"'
refuse 's/<vary name="dt"/<vary name="error"/' 'is the name of something measured'
refuse 's/scene="bar.xml"/scene="baz.xml"/' 'baz.xml'
refuse 's/<vary name="dt"/<vray name="dt"/' 'unknown element "vray"; did you mean "vary"?'
refuse 's/unit="s"/units="s"/' 'unknown attribute "units"; did you mean "unit"?'
refuse 's/values="[^"]*"/from="0.1" to="-1" count="3"/' 'must be positive'
refuse 's/values="[^"]*"/from="0.1" to="0.01" count="1"/' 'count = 1 must be a whole number'
refuse 's/values="[^"]*"/values=""/' 'has no values'
refuse 's/<study/<studdy/; s/<\/study/<\/studdy/' 'a study begins with <study>'
refuse 's/scale="log"/scale="logarithmic"/' 'must be linear, log'
refuse 's/name="order"/name="..\/order"/' 'must be letters'
refuse 's/^<\/study>//' 'study.xml'
# weights of frames are kept for all cases, which run side by side, and for the next time
sed 's/model="fem"/model="frames" weights="harmonic" frames="3"/' bar.xml >frames.xml
study 's/bar.xml/frames.xml/; s/rk4; world.dt=1e-4/implicit-midpoint; world.dt=1e-3/'
check "$pliant" study study.xml -q -j 2 -o kept --cache cache
check test "$(ls cache | wc -l)" = 1
check cmp -s <(ls -i cache) <("$pliant" study study.xml -q -j 2 -o again --cache cache && ls -i cache)

"$pliant" study 2>stderr && bad "no study" || check grep -q 'needs one study' stderr

# ---- a reference for each combination of the values that it does not set itself ----
column() { sed -n "1s/,/\\n/gp" "$1" | grep -n "^$2\$" | cut -d: -f1; }
value() { sed -n "s/^$3,.*/&/p" "$1" | cut -d, -f"$(column "$1" "$2")"; }
cat >physical.xml <<'XML'
<study scene="bar.xml" set="solver.tolerance=1e-10; integrator.newton=20">
  <vary name="young" unit="Pa" path="material.young" values="1e5 1e6"/>
  <vary name="cells" path="mesh.box.cells"><option name="coarse" set="mesh.box.cells=3 1 1"/></vary>
  <vary name="dt" unit="s" path="world.dt" values="0.01 0.005"/>
  <vary name="solver" path="solver.method" values="cg minres"/>
  <reference set="world.dt=1e-3"/>
  <measure error="positions"/>
  <table rows="young" columns="dt" value="error" where="solver=cg"/>
</study>
XML
sed -i 's| path="mesh.box.cells"><option|><option|' physical.xml
check "$pliant" study physical.xml -o physical -q
check [ "$(ls physical/reference*.csv | wc -l)" -eq 2 ]
# the stiff bar alone has the same errors as among others
sed 's/values="1e5 1e6"/values="1e6"/' physical.xml >alone.xml
check "$pliant" study alone.xml -o alone -q
check [ -s alone/reference.csv ]
[ -n "$(value alone/results.csv error '1\(e+06\|000000\|e6\),coarse,0.01,cg')" ] && ok || bad "no error: $(cat alone/results.csv)"
check [ "$(value alone/results.csv error '1\(e+06\|000000\|e6\),coarse,0.01,cg')" = "$(value physical/results.csv error '1\(e+06\|000000\|e6\),coarse,0.01,cg')" ]
# a mesh that is varied is compared with itself; a model is set with all its parameters
sed 's|<option name="coarse"|<option name="fine" set="mesh.box.cells=6 1 1"/>&|; s/values="1e5 1e6"/values="1e6"/' physical.xml >meshes.xml
check "$pliant" study meshes.xml -o meshes -q
check [ "$(ls meshes/reference*.csv | wc -l)" -eq 2 ]
sed 's|<vary name="cells".*|<vary name="model"><option name="f" set="body.model=frames; body.frames=2"/><option name="e" set="body.model=fem"/></vary>|; s|world.dt=1e-3|&; body.model=fem|; s|error="positions"|error="probe" probe="tip"|; s|strain="green"||' physical.xml >models.xml
check "$pliant" check models.xml
"$pliant" check models.xml | grep -q "16 cases, 2 references" && ok || bad "$("$pliant" check models.xml)"
# ---- checking without running ----
sed 's/values="1e5 1e6"/values="1e5 -1"/' physical.xml >wrong.xml
"$pliant" check wrong.xml >stdout 2>stderr && bad "a wrong case passes" || ok
grep -q 'young = -1' stderr && ok || bad "$(cat stderr)"
sed 's/where="solver=cg"/where="solvr=cg"/' physical.xml >wrong.xml
"$pliant" check wrong.xml bar.xml >stdout 2>stderr && bad "a wrong table passes" || ok
grep -q '^bar.xml: ok' stdout && grep -q solvr stderr && ok || bad "$(cat stderr)"
for file in "${PLIANT_SOURCE:?}"/studies/hauth-bar.xml "${PLIANT_SOURCE:?}"/studies/hauth-control.xml; do
  "$pliant" check "$file" 2>stderr | grep -q "cases, 1 reference$" && ok || bad "$file: $(cat stderr)"
done

# ---- a study reads what lies below its folder, or in scenes/ beside it ----
mkdir -p own/studies own/scenes other
cp bar.xml own/scenes/ && cp bar.xml other/
sed 's|bar.xml|../scenes/bar.xml|' alone.xml >own/studies/alone.xml
check "$pliant" check own/studies/alone.xml
for scene in ../../other/bar.xml "$PWD/other/bar.xml" ../scenes/../../other/bar.xml; do
  sed "s|bar.xml|$scene|" alone.xml >own/studies/far.xml
  "$pliant" check own/studies/far.xml >stdout 2>stderr && bad "$scene is read" || ok
  grep -q "allow-path" stderr && ok || bad "$(cat stderr)"
  check "$pliant" check --allow-path own/studies/far.xml
done
ln -s "$PWD/other/bar.xml" own/studies/link.xml
sed 's|bar.xml|link.xml|' alone.xml >own/studies/far.xml
"$pliant" study own/studies/far.xml -o x >stdout 2>stderr && bad "a link leads out" || ok
cp alone/reference.csv other/
sed 's|<reference set="[^"]*"|<reference file="../../other/reference.csv"|; s|bar.xml|../scenes/bar.xml|' alone.xml >own/studies/far.xml
"$pliant" check own/studies/far.xml >stdout 2>stderr && bad "a reference is read elsewhere" || ok
grep -Eq 'far.xml:[0-9]+: file = .* lies outside' stderr && ok || bad "$(cat stderr)"
check "$pliant" study own/studies/far.xml -o x -q --allow-path

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
