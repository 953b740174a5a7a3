#!/usr/bin/env bash
# Installs the Debian packages that are missing for a purpose: build, check, fuzz or format. Asks
# dpkg first, so it is done at once when nothing is missing.
set -eu

build="gcc libc6-dev cmake ninja-build pkg-config libxml2-dev zlib1g-dev"
case ${1:-build} in
build) needed=$build useful= ;;
# clang and clang-format are second opinions, meshio an independent reader of our mesh files
check) needed="$build g++" useful="clang clang-format python3-meshio" ;;
# llvm names the lines in a report of the sanitizers
fuzz) needed="$build clang libclang-rt-dev" useful=llvm ;;
format) needed=clang-format useful= ;;
*)
  echo "usage: install-deps.sh build|check|fuzz|format" >&2
  exit 2
  ;;
esac

if ! command -v dpkg-query >/dev/null; then
  echo "This is not Debian: make sure that you have the likes of $needed $useful."
  exit 0
fi

# prints those of the packages that dpkg does not know as installed
missing_of() {
  for package; do
    status=$(dpkg-query -W -f='${db:Status-Status} ' "$package" 2>/dev/null || true)
    case $status in installed*) ;; *) echo "$package" ;; esac
  done
}

install() {
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
    -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@" >"$log" 2>&1
}

# shellcheck disable=SC2086
missing=$(missing_of $needed $useful | tr '\n' ' ')
[ -z "$missing" ] && exit 0

sudo=
if [ "$(id -u)" != 0 ]; then
  sudo=sudo
  if ! command -v sudo >/dev/null; then
    echo "Missing: $missing. Neither root nor sudo is at hand to install them; as root, run:" >&2
    echo "  apt-get install $missing" >&2
    exit 1
  fi
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "Installing ${missing% }"
# the list of packages may be absent or old: fetch it only if the first attempt fails
# shellcheck disable=SC2086
install $missing || { $sudo apt-get update -qq >/dev/null 2>&1 && install $missing; } || {
  cat "$log" >&2
  needed_missing=$(missing_of $needed | tr '\n' ' ')
  if [ -n "$needed_missing" ]; then
    echo "apt-get could not install $needed_missing(see above); is the package registry in reach?" >&2
    exit 1
  fi
  echo "Going on without $(missing_of $useful | tr '\n' ' '): some checks will be left out."
}
