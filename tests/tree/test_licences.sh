#!/usr/bin/env bash
# Every dependency that the build names stands in pliant.spdx with its licence, and none is of the GPL family.
set -u
cd "$PLIANT_SOURCE" || exit
bad=0
fail() { echo "$1"; bad=1; }
version=$(sed -nE 's/#define PL_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+)/\2/p' include/pliant/base.h | paste -sd.)
grep -qx "PackageVersion: $version" pliant.spdx || fail "pliant.spdx is not of version $version"
# what CMake looks for, as pliant.spdx calls it
declare -A names=([LibXml2]=libxml2 [ZLIB]=zlib [libwebsockets]=libwebsockets [SUNDIALS]=SUNDIALS [HDF5]=HDF5)
found=$(grep -ohE 'find_package\((LibXml2|ZLIB|SUNDIALS|HDF5)|libwebsockets|PLIANT_WITH_(SUNDIALS|HDF5)' CMakeLists.txt cmake/*.cmake | sed 's/.*(//; s/PLIANT_WITH_//' | sort -u)
for each in $found; do
  grep -qx "PackageName: ${names[$each]-$each}" pliant.spdx || fail "$each is not in pliant.spdx"
done
other=$(grep -ohE 'find_package\([A-Za-z0-9]+' CMakeLists.txt cmake/*.cmake | sed 's/.*(//' | sort -u | grep -vxE 'LibXml2|ZLIB|SUNDIALS|HDF5|Threads|PkgConfig|PACKAGE|MPI|CHOLMOD')
[ -z "$other" ] || fail "looked for and not listed: $other"
while read -r name number; do
  grep -A2 -x "PackageName: $name" pliant.spdx | grep -qx "PackageVersion: $number" || fail "$name $number is not in pliant.spdx"
done < <(sed -nE 's/^    "([a-z-]+)": "([0-9.]+)",?$/\1 \2/p' viewer/package.json)
[ "$(grep -c '^PackageName:' pliant.spdx)" = "$(grep -c '^PackageLicenseDeclared:' pliant.spdx)" ] || fail "a package has no licence"
! grep -E '^PackageLicense.*GPL' pliant.spdx || fail "a licence of the GPL family"
exit $bad
