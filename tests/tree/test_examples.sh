#!/usr/bin/env bash
# Examples compile: C in the docs and at the heads of public headers; whole scenes in the docs are
# right. What examples take for granted is declared around them.
set -u
cd "$PLIANT_SOURCE" || exit
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0 count=0

cat >"$work/before.h" <<'END'
#include "pliant/scene.h"
#include "pliant/world.h"
extern pl_error error;
extern pl_world *world;
extern pl_mesh *mesh;
extern pl_scene *scene;
extern pl_body_id body;
extern pl_body_def body_def;
extern pl_fix_def fix_def;
extern pl_hit hit;
extern pl_pull_id pull;
extern pl_setting shape[2], moduli[2];
extern double target[3];
extern int my_data;
void my_forces(void *context, double time, const double *x, const double *v, double *f, double *slopes);
void my_law(void *context, const double F[9], double *W, double *P, double *H);
END

# compile NAME: the text on the standard input, as the inside of a function
compile() {
  count=$((count + 1))
  { echo 'void example(void); void example(void) {'; cat; echo '}'; } >"$work/example.c"
  "${CC:-cc}" -std=c17 -Wall -Wextra -Werror -Wno-unused -fsyntax-only -Iinclude \
    -include "$work/before.h" "$work/example.c" || {
    echo "the example of $1 does not compile"
    bad=1
  }
}

# indented by three blanks in the first comment
for header in include/pliant/*.h; do
  text=$(sed '/\*\//q' "$header" | sed -n 's/^ \*   //p')
  [ -z "$text" ] || compile "$header" <<<"$text"
done

# blocks FILE LANGUAGE: each into its own file
blocks() {
  awk -v to="$work/block" -v mark="\`\`\`$2" '
    $0 == mark { inside = 1; n++; file = to n; printf "" >file; next }
    /^```/ { inside = 0 } inside { print >file }' "$1"
}
for page in README.md CONTRIBUTING.md docs/*.md docs/tutorials/*.md; do
  rm -f "$work"/block*
  blocks "$page" c
  for block in "$work"/block*; do [ ! -e "$block" ] || compile "$page" <"$block"; done
  rm -f "$work"/block*
  blocks "$page" xml
  for block in "$work"/block*; do
    [ -e "$block" ] && head -1 "$block" | grep -qE '^<(pliant|study title.*scene="bar.xml")' || continue
    count=$((count + 1))
    cp "$block" "$work/scene.xml"
    # the study of the tutorials is one of their first scene
    [ "$page" != docs/tutorials/1-first-body.md ] || cp "$block" "$work/bar.xml"
    "$PLIANT_COMMAND" check "$work/scene.xml" >"$work/log" 2>&1 || {
      cat "$work/log"
      echo "a scene or study of $page is not right"
      bad=1
    }
  done
done
echo "$count examples"
[ "$count" -ge 4 ] || bad=1
exit $bad
