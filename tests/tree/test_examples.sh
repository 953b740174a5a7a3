#!/usr/bin/env bash
# Examples run: C in the docs and at the heads of public headers, and whole scenes, parts of scenes and studies in the docs. What
# they take for granted is around them: stage.h for C, materials for parts of scenes.
set -u
cd "$PLIANT_SOURCE" || exit
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0 count=0
if nm -D "$PLIANT_BUILD/libpliant.so" | grep -qE '__(asan|tsan)_init'; then
  echo "skipped: the library is built with a sanitizer"
  exit 77
fi

# example NAME: the text on the standard input, as the inside of a function that is called
example() {
  count=$((count + 1))
  cat >"$work/example.inc"
  "${CC:-cc}" -std=c17 -Wall -Wextra -Werror -Wno-unused -Iinclude -Itests -I"$work" tests/tree/stage.c -o "$work/example" \
    -L"$PLIANT_BUILD" -lpliant -Wl,-rpath,"$PLIANT_BUILD" -lm && "$work/example" || {
    echo "the example of $1 does not work"
    bad=1
  }
}

# indented by three blanks in the first comment
for header in include/pliant/*.h; do
  text=$(sed '/\*\//q' "$header" | sed -n 's/^ \*   //p')
  [ -z "$text" ] || example "$header" <<<"$text"
done

# blocks FILE LANGUAGE: each into its own file
blocks() {
  rm -f "$work"/block*
  awk -v to="$work/block" -v mark="\`\`\`$2" '
    $0 == mark { inside = 1; n++; file = to n; printf "" >file; next }
    /^```/ { inside = 0 } inside { print >file }' "$1"
}

# try NAME WORDS...: a command that must work
try() {
  local name=$1
  shift
  count=$((count + 1))
  (cd "$work/studies" && "$PLIANT_COMMAND" "$@") >"$work/log" 2>&1 || {
    cat "$work/log"
    echo "an example of $name does not work"
    bad=1
  }
}

# scene FILE NAME: right, and it takes two steps
scene() {
  try "$2" check "$1"
  try "$2" run "$1" --set world.dt=1e-4 --set world.duration=2e-4 -q --no-picture -o "$work/out"
}

# part of a scene, with materials of the names that parts use
whole() {
  echo '<pliant><world dt="0.01" duration="1"/>'
  for name in linen nylon; do
    grep -q "<material name=\"$name\"" "$1" || echo "<material name=\"$name\" young=\"1e6\" poisson=\"0.3\" density=\"1000\"/>"
  done
  cat "$1"
  echo '</pliant>'
}

# studies name scenes beside them
mkdir "$work/studies"
ln -s "$PWD/scenes" "$work/scenes"
for page in README.md CONTRIBUTING.md docs/*.md docs/tutorials/*.md; do
  blocks "$page" c
  for block in "$work"/block*; do [ ! -e "$block" ] || example "$page" <"$block"; done
  blocks "$page" xml
  for block in "$work"/block*; do
    [ -e "$block" ] || continue
    file=$work/studies/example.xml
    case $(head -1 "$block") in
    '<pliant'*)
      cp "$block" "$file"
      # the study of the tutorials is one of their first scene
      [ "$page" != docs/tutorials/1-first-body.md ] || cp "$block" "$work/studies/bar.xml"
      scene "$file" "$page"
      ;;
    '<study'*)
      cp "$block" "$file"
      try "$page" check --allow-path "$file"
      try "$page" study --allow-path --smallest --fresh -q -o "$work/out-study" "$file"
      ;;
    *)
      whole "$block" >"$file"
      scene "$file" "$page"
      ;;
    esac
  done
done
echo "$count examples"
[ "$count" -ge 20 ] || bad=1
exit $bad
