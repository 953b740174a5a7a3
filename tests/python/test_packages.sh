#!/usr/bin/env bash
# "pip install ." without a network: the wheel holds the library and the command, an installation in a fresh
# environment works, the same sources give the same bytes, and types are those of the package.
set -eu
python=/usr/bin/python3
skip() {
  echo "skipped: $1"
  exit 77
}
$python -c 'import cffi, numpy' 2>/dev/null || skip "cffi and numpy are not there (apt-get install python3-cffi python3-numpy)"
$python -c 'import pip, ensurepip' 2>/dev/null || skip "pip and venv are not there (apt-get install python3-pip python3-venv)"
! nm -D "$PLIANT_BUILD/libpliant.so" | grep -qE '__(asan|tsan)_init' || skip "the library is built with a sanitizer"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PLIANT_BUILD PYTHONDONTWRITEBYTECODE=1 PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1

# a wheel twice: the same bytes
export SOURCE_DATE_EPOCH=1700000000
for k in 1 2; do
  mkdir "$work/wheel$k"
  (cd "$PLIANT_SOURCE/python" && $python -c 'import build_backend, sys; build_backend.build_wheel(sys.argv[1])' "$work/wheel$k")
done
cmp "$work"/wheel1/*.whl "$work"/wheel2/*.whl
$python -m zipfile -l "$work"/wheel1/*.whl >"$work/list"
grep -q pliant/libpliant.so "$work/list"

# a build of its own would make both, too
if [ -e "$PLIANT_BUILD/build.ninja" ]; then
  target=$(grep -o '"--target", "[a-z_]*"' "$PLIANT_SOURCE/python/build_backend.py" | cut -d'"' -f4)
  made=$(ninja -C "$PLIANT_BUILD" -t query "$target" | sed '/outputs:/,$d')
  grep -qx ' *libpliant\.so' <<<"$made" && grep -qx ' *pliant' <<<"$made" || {
    echo "the target $target lacks the library or the command"
    exit 1
  }
fi

# what it says of itself is known before anything is compiled
(cd "$PLIANT_SOURCE/python" && $python -c 'import build_backend, sys; build_backend.prepare_metadata_for_build_wheel(sys.argv[1])' "$work/said")
$python -m zipfile -e "$work"/wheel1/*.whl "$work/contents"
diff -r -x RECORD "$work/said" "$work/contents" | grep -v "^Only in $work/contents: pliant" | grep . && exit 1
[ -s "$work"/said/pliant-*.dist-info/METADATA ]

# pip builds and installs it into an environment of its own
$python -m venv --system-site-packages --without-pip "$work/env"
$python -m pip --python "$work/env/bin/python" install --no-deps -q "$PLIANT_SOURCE" 2>"$work/log" || $python -m pip install --no-deps -q --prefix "$work/env" "$PLIANT_SOURCE" || {
  cat "$work/log"
  exit 1
}
cd "$work"
cat >try.py <<'END'
import os, pliant, pliant._library as library
assert os.path.dirname(pliant.__file__).startswith(os.environ["WORK"]), pliant.__file__
assert library.path.startswith(os.environ["WORK"]), library.path
mesh = pliant.Mesh.generate("box", size=(1, 0.3, 0.3), cells=(4, 1, 1))
world = pliant.World()
bar = world.add_body(mesh, pliant.Material(pliant.law.hooke(young=1e6, poisson=0.3)))
bar.fix("x-min")
world.step(5)
print("installed:", pliant.__version__, f"{bar.positions[:, 2].min():.4f}")
END
(unset PYTHONPATH PLIANT_LIBRARY && WORK=$(realpath "$work") "$work/env/bin/python" try.py)
"$work/env/bin/pliant" --version

# a type checker sees every keyword
if command -v mypy >/dev/null; then
  cat >typed.py <<'END'
import pliant

world = pliant.World(dt=0.01, integrator=pliant.integrator.bdf2())
mesh = pliant.Mesh.generate("box", size=(1, 1, 1))
body = world.add_body(mesh, pliant.Material(pliant.law.hooke(young=1e6, poisson=0.3), density=1000), name="a")
body.fix("x-min")
name: str = body.name
END
  cp typed.py wrong.py
  printf '%s\n' 'pliant.law.hooke(yung=1)' 'pliant.model.fem(strain="corotted")' 'pliant.World(dt="fast")' 'body.fxi("x-min")' >>wrong.py
  # the types are those of the wheel
  $python -m zipfile -e "$work"/wheel1/*.whl "$work/types"
  export MYPYPATH=$work/types
  mypy --ignore-missing-imports --cache-dir "$work/cache" typed.py || exit 1
  said=$(mypy --ignore-missing-imports --cache-dir "$work/cache" wrong.py || true)
  [ "$(grep -c 'wrong.py:.*error' <<<"$said")" = 4 ] || {
    echo "four errors were expected: $said"
    exit 1
  }
fi
