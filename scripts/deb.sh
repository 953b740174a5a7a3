#!/usr/bin/env bash
# deb.sh [CHROOT]: Debian packages of what is committed, in build/deb; looked over by lintian where it is there. With a
# folder made by debootstrap they are built in there, from nothing but what debian/control names, and tried there.
set -eu
cd "$(dirname "$0")/.."
version=$(sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)
place=build/deb
rm -rf "$place"
mkdir -p "$place/pliant-$version"
git archive HEAD | tar -x -C "$place/pliant-$version"
# builds have no network: the page of the viewer goes along
if scripts/build-viewer.sh packages >/dev/null 2>&1; then
  scripts/build-viewer.sh bundle "$PWD/$place/pliant-$version/viewer/page.c"
else
  echo "Without node and npm, or their packages: pliant view is left out."
fi
# files are as old as the last commit, so that the same source gives the same packages
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:-parallel=$(nproc)}"
find "$place/pliant-$version" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +

build_here() { (cd "$place/pliant-$version" && dpkg-buildpackage -us -uc -d >../build.log 2>&1); }

build_in_chroot() {
  local root=$1
  rm -rf "$root/build"
  cp -a "$place" "$root/build"
  # env -i: settings of this shell, such as a compiler cache, are not to be found in there
  chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" DEB_BUILD_OPTIONS="$DEB_BUILD_OPTIONS" sh -ec "
    cd /build/pliant-$version
    apt-get update -qq
    apt-get build-dep -qq -y --no-install-recommends . >/build/depends.log 2>&1
    dpkg-buildpackage -us -uc >/build/build.log 2>&1
    apt-get install -qq -y --no-install-recommends /build/*.deb >/build/install.log 2>&1"
  find "$root/build" -maxdepth 1 -type f -exec cp {} "$place/" \;
}

if [ $# = 1 ]; then
  build_in_chroot "$1" || {
    tail -n 40 "$1"/build/*.log
    exit 1
  }
  scripts/try-deb.sh "$1" "$version"
else
  build_here || {
    tail -n 40 "$place/build.log"
    exit 1
  }
fi
ls -l "$place"/*.deb
! command -v lintian >/dev/null || lintian --allow-root --fail-on error "$place"/*.changes
