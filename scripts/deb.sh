#!/usr/bin/env bash
# deb.sh: Debian packages of what is committed, in build/deb; looked over by lintian where it is there.
set -eu
cd "$(dirname "$0")/.."
version=$(sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)
place=build/deb
rm -rf "$place"
mkdir -p "$place/pliant-$version"
git archive HEAD | tar -x -C "$place/pliant-$version"
# files are as old as the last commit, so that the same source gives the same packages
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:-parallel=$(nproc)}"
(cd "$place/pliant-$version" && dpkg-buildpackage -us -uc -d >../build.log 2>&1) || {
  tail -n 40 "$place/build.log"
  exit 1
}
ls -l "$place"/*.deb
! command -v lintian >/dev/null || lintian --allow-root --fail-on error "$place"/*.changes
