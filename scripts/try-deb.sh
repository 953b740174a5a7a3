#!/usr/bin/env bash
# try-deb.sh CHROOT VERSION: the installed packages at work: the command runs a scene, programs are built by pkg-config
# and by CMake, and the Python package passes all its tests. Then "pip install" of the same sources, which compiles them
# once more, in a fresh environment without a network. The sources are those that deb.sh has left in CHROOT/build.
set -eu
root=$1 version=$2
inside() { "${wrap[@]}" chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 SOURCE="/build/pliant-$version" sh -ec "$1"; }
wrap=()
rm -rf "$root/try"
mkdir "$root/try"
# processes ask /proc for their memory and processors
mountpoint -q "$root/proc" || {
  mount -t proc proc "$root/proc"
  trap 'umount "$root/proc"' EXIT
}

inside '
  cd /try
  pliant run /usr/share/pliant/scenes/demo.xml -q -o /try/out
  test -s /try/out/picture.png
  test -e /usr/share/man/man1/pliant-run.1.gz
  for example in bar game material; do
    cc -std=c17 "$SOURCE/examples/$example.c" -o $example $(pkg-config --cflags --libs pliant) -lm
    ./$example | tail -1
  done
  mkdir project
  printf "%s\n" "cmake_minimum_required(VERSION 3.20)" "project(stranger LANGUAGES C)" "find_package(pliant REQUIRED)" \
    "add_executable(bar $SOURCE/examples/bar.c)" "target_link_libraries(bar PRIVATE pliant::pliant m)" >project/CMakeLists.txt
  cmake -S project -B made >/dev/null
  cmake --build made >/dev/null
  ./bar >by-pkg-config
  made/bar | cmp by-pkg-config -'
[ "$(chroot "$root" pliant --version | grep -o "[0-9.]*" | head -1)" = "$version" ]

# where: the package that is tested, as a part of its path
tests='
  cd "$(mktemp -d)"
  $python -c "import pliant; print(pliant.__version__, pliant.__file__); assert \"$where\" in pliant.__file__"
  PLIANT_SOURCE=$SOURCE PLIANT_COMMAND=$command PYTHONDONTWRITEBYTECODE=1 $python -m unittest discover -s "$SOURCE/tests/python"'
inside "where=dist-packages/pliant python=python3 command=/usr/bin/pliant
$tests"

inside 'DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends python3-pip python3-venv >/build/pip.log 2>&1'
# away with the packages: what is found must be that of the environment
inside 'apt-get remove -qq -y libpliant0.1 >>/build/pip.log 2>&1'
wrap=(unshare --net)
inside 'cd "$SOURCE"
  python3 -m venv --system-site-packages /try/env
  /try/env/bin/pip install --no-index . >>/build/pip.log 2>&1 || { tail -40 /build/pip.log; exit 1; }'
wrap=() # the viewer of the tests needs the loopback device
inside "where=/try/env/ python=/try/env/bin/python3 command=/try/env/bin/pliant
$tests"
