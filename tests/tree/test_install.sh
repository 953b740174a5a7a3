#!/usr/bin/env bash
# The installed library as a stranger uses it: examples/bar.c is compiled against a fresh
# installation, once by pkg-config and once by CMake's find_package, and both programs are run.
set -eu
if grep -q '^PLIANT_SANITIZE:STRING=.' "$PLIANT_BUILD/CMakeCache.txt"; then
  echo "a sanitized library is not meant to be installed"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
prefix=$folder/prefix
cmake --install "$PLIANT_BUILD" --prefix "$prefix" >/dev/null

# by pkg-config, from nothing but the installed files
libraries=$(dirname "$(find "$prefix" -name libpliant.so)")
export PKG_CONFIG_PATH=$libraries/pkgconfig
# shellcheck disable=SC2046
"${CC:-cc}" -std=c17 -Wall -Wextra -Werror -o "$folder/bar" "$PLIANT_SOURCE/examples/bar.c" \
  $(pkg-config --cflags --libs pliant) -lm
LD_LIBRARY_PATH=$libraries "$folder/bar" >"$folder/by-pkg-config"

# the other examples: cubes that fall touch the floor and each other, and a law of one's own is that of rubber
for example in game material; do
  # shellcheck disable=SC2046
  "${CC:-cc}" -std=c17 -Wall -Wextra -Werror -o "$folder/$example" "$PLIANT_SOURCE/examples/$example.c" \
    $(pkg-config --cflags --libs pliant) -lm
  LD_LIBRARY_PATH=$libraries "$folder/$example" | tee "$folder/by-$example"
done
grep -q 'cube 1 touches the floor' "$folder/by-game"
grep -q 'touches another cube' "$folder/by-game"
awk '{ if (!($5 > 0.02 && $5 < 0.5 && $5 / $10 > 0.9 && $5 / $10 < 1.1)) exit 1 }' "$folder/by-material"

# the archive, with the libraries that pkg-config --static names
# shellcheck disable=SC2046
"${CC:-cc}" -std=c17 -o "$folder/bar-static" "$PLIANT_SOURCE/examples/bar.c" $(pkg-config --cflags pliant) \
  "$libraries/libpliant.a" $(pkg-config --static --libs pliant | sed 's/-lpliant//')
"$folder/bar-static" >"$folder/by-archive"

# by CMake
mkdir "$folder/project"
cat >"$folder/project/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.20)
project(stranger LANGUAGES C)
find_package(pliant REQUIRED)
add_executable(bar $PLIANT_SOURCE/examples/bar.c)
target_link_libraries(bar PRIVATE pliant::pliant m)
END
cmake -S "$folder/project" -B "$folder/out" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$folder/out" >/dev/null
"$folder/out/bar" >"$folder/by-cmake"

# the same library gives the same words, and the bar hangs down by a sensible amount
cat "$folder/by-pkg-config"
cmp "$folder/by-pkg-config" "$folder/by-cmake"
cmp "$folder/by-pkg-config" "$folder/by-archive"
awk '/^the tip/ { found = 1; if (!($NF == "m" && $(NF - 1) < -0.01 && $(NF - 1) > -1)) exit 1 }
  END { if (!found) exit 1 }' "$folder/by-pkg-config" || {
  echo "the line \"the tip ... m\" is missing or its number is not between -1 and -0.01"
  exit 1
}

# the version is the same everywhere, and no other library is forced upon the user
[ "$(pkg-config --modversion pliant)" = "$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$PLIANT_BUILD/CMakeCache.txt")" ]
[ "$(find "$prefix/include" -name '*.h' | wc -l)" = "$(find "$PLIANT_SOURCE/include" -name '*.h' | wc -l)" ]
