#!/usr/bin/env bash
# Installs the Debian packages that are missing for a purpose: build, check, docs, deb, fuzz, format, analyse, bits or site. Asks
# dpkg first, so it is done at once when nothing is missing.
set -eu
cd "$(dirname "$0")/.."
purpose=${1:-build}

build="gcc libc6-dev cmake ninja-build pkg-config zlib1g-dev"
# the viewer: its server, and what makes its page
viewer=libwebsockets-dev
command -v node >/dev/null || viewer+=" nodejs"
command -v npm >/dev/null || viewer+=" npm"
# adaptive reference integrators
solvers=libsundials-dev
# one-file output as HDF5
solvers+=" libhdf5-dev"
useful=
case $purpose in
build) needed=$build useful="$viewer $solvers" ;;
# clang and clang-format are second opinions, meshio an independent reader of our mesh files,
# chromium looks at the viewer's page, bullet is a peer to measure; cffi and numpy serve the Python package,
# markdown makes the manual
check)
  needed="$build g++"
  useful="$viewer $solvers libbullet-dev clang clang-format python3-meshio python3-h5py python3-cffi python3-numpy python3-markdown"
  useful+=" chromium"
  # several processes, 880 MB with all that they need, and what sends signals to one of them
  useful+=" libpetsc-real-dev libopenmpi-dev openmpi-bin procps"
  # wheels, types, notebooks; shells that complete, groff that reads man pages; other programs behind doors/
  useful+=" python3-pip python3-venv python3-build mypy jupyter-notebook zsh fish groff gmsh"
  ;;
# llvm names the lines in a report of the sanitizers
fuzz) needed="$build clang libclang-rt-dev" useful=llvm ;;
format) needed=clang-format ;;
docs) needed="$build python3-markdown" useful="$viewer $solvers" ;;
deb)
  needed="$build $viewer $solvers dpkg-dev debhelper dh-python fakeroot python3"
  useful="lintian debootstrap"
  ;;
# musl is another C library; emscripten takes 800 MB
bits) needed=$build useful="clang musl-tools gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user emscripten" ;;
site) needed="$build emscripten chromium" useful="$viewer" ;;
analyse) needed="$build cppcheck clang-tidy valgrind" useful="$viewer $solvers" ;;
*)
  echo "usage: install-deps.sh build|check|docs|deb|fuzz|format|analyse|bits|site" >&2
  exit 2
  ;;
esac

# Khronos' validator judges our .glb files in the tests
get_validator() {
  [ "$purpose" = check ] && command -v npm >/dev/null || return 0
  [ -e build/tools/node_modules/gltf-validator ] && return 0
  mkdir -p build/tools
  npm install --prefix build/tools --no-save --ignore-scripts --no-audit --no-fund --loglevel=error \
    gltf-validator@2.0.0-dev.3.10 >/dev/null 2>&1 ||
    echo "Going on without gltf-validator: the test of .glb files is left out."
}
get_validator

if ! command -v dpkg-query >/dev/null; then
  echo "This is not Debian: make sure that you have the likes of $needed $useful"
  exit 0
fi

# prints those of the packages that dpkg does not know as installed
missing_of() {
  local list=
  for package; do
    case $(dpkg-query -W -f='${db:Status-Status} ' "$package" 2>/dev/null || true) in
    installed*) ;;
    *) list+="${list:+ }$package" ;;
    esac
  done
  echo "$list"
}

apt_install() {
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
    -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@" >"$log" 2>&1
}

# the registry's list may be absent or old: it is fetched only if the first attempt fails
install() {
  echo "Installing $*"
  apt_install "$@" && return 0
  $sudo apt-get update -qq -o DPkg::Lock::Timeout=300 >/dev/null 2>&1 && apt_install "$@" && return 0
  cat "$log" >&2
  return 1
}

# shellcheck disable=SC2086
needed_missing=$(missing_of $needed) useful_missing=$(missing_of $useful)
[ -n "$needed_missing$useful_missing" ] || exit 0

sudo=
if [ "$(id -u)" != 0 ]; then
  sudo=sudo
  if ! command -v sudo >/dev/null; then
    echo "Some packages are missing, and there is neither root nor sudo to install them. As root:" >&2
    echo "  apt-get install $needed_missing $useful_missing" >&2
    [ -z "$needed_missing" ] && exit 0
    exit 1
  fi
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086
if [ -n "$needed_missing" ] && ! install $needed_missing; then
  echo "These packages could not be installed (see above); is the package registry in reach?" >&2
  exit 1
fi
# one that cannot be had does not keep out the others
# shellcheck disable=SC2086
if [ -n "$useful_missing" ] && ! install $useful_missing; then
  for package in $useful_missing; do
    install "$package" || echo "Going on without $package: what needs it is left out."
  done
fi
get_validator
