#!/usr/bin/env bash
# try-deb.sh CHROOT VERSION: the installed packages at work: the command runs a scene, a program is built by pkg-config
# and by CMake, and the Python package passes its own tests.
set -eu
root=$1 version=$2
mkdir -p "$root/try/source/python"
rm -rf "$root"/try/*
mkdir -p "$root/try/source/python"
cp -r tests/python examples README.md docs "$root/try/"
cp -r tests examples docs README.md "$root/try/source/"
chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 sh -ec '
  cd /try
  pliant run /usr/share/pliant/scenes/demo.xml -q -o /try/out
  test -s /try/out/picture.png
  man -w pliant >/dev/null 2>&1 || test -e /usr/share/man/man1/pliant-run.1.gz
  cc -std=c17 examples/bar.c -o bar $(pkg-config --cflags --libs pliant) -lm
  ./bar | tail -1
  python3 -c "import pliant; print(pliant.__version__, pliant.__file__)"
  PLIANT_SOURCE=/try/source PLIANT_COMMAND=/usr/bin/pliant PYTHONDONTWRITEBYTECODE=1 python3 /try/python/test_python.py'
[ "$(chroot "$root" pliant --version | grep -o "[0-9.]*" | head -1)" = "$version" ]
