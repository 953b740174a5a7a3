#!/usr/bin/env bash
# Every line of README and manual that calls the command works: those that end by themselves are run, in a folder with the files
# that they name; of the others (servers, measurements, long studies) command and options are known.
# label: long
. "$(dirname "$0")/begin.sh"
ln -s "$PLIANT_SOURCE/scenes" "$PLIANT_SOURCE/studies" "$PLIANT_SOURCE/examples" .
mkdir doors && cp "$PLIANT_SOURCE"/doors/* doors/

# what the lines take for granted
export SLURM_ARRAY_TASK_ID=1 JOB=1
sed -n '/^```xml/,/^```/p' "$PLIANT_SOURCE/docs/tutorials/1-first-body.md" | sed '/^```/d' >bar.xml
sed -n '/^```xml/,/^```/p' "$PLIANT_SOURCE/docs/tutorials/5-study.md" | sed '/^```/d' >sag.xml
sed -i 's/duration="1"/duration="0.05"/' bar.xml
{
  "$pliant" mesh generate box --size "1 0.3 0.2" --cells "5 2 2" -o doors/block.msh
  cp doors/block.msh part.msh
  "$pliant" mesh convert part.msh -o part.inp
  "$pliant" mesh surface bunny -o bunny.obj --size 0.1
  "$pliant" mesh fill bunny.obj -o bunny.msh --size 0.15
  "$pliant" mesh convert bunny.obj -o scan.stl
  cp scan.stl broken.stl
} >log 2>&1 || bad "the files for the lines: $(tail -3 log)"
sed -i 's/<set name="left"/<set name="x-min"/; s/<set name="right"/<set name="x-max"/' doors/block.xml

# line WORDS: runs them, or looks at their options
line() {
  local words command options
  eval "words=(${1#*pliant })"
  case $1 in
  *"pliant view"* | *"pliant bench"* | *studies/* | *--with\ * | *--scene\ * | *--ranks\ * | *"pliant run bunny.obj"* | *"pliant mesh fill bunny -o"*)
    command=${words[0]-}
    [ "$command" != mesh ] || command="mesh ${words[1]}"
    # shellcheck disable=SC2086
    options=$("$pliant" $command --help 2>&1) || { bad "$1: there is no such command"; return; }
    for word in "${words[@]}"; do
      case $word in --*) grep -qE -- "$word\b" <<<"$options" || { bad "$1: there is no $word"; return; } ;; esac
    done
    ok
    ;;
  *) if timeout 100 "$pliant" "${words[@]}" >log 2>&1; then ok; else bad "$1: $(tail -2 log)"; fi ;;
  esac
}
while read -r each; do line "$each"; done < <(
  cd "$PLIANT_SOURCE" && grep -hE '^    (build/release/)?pliant( |$)' README.md docs/*.md docs/tutorials/*.md |
    sed -E 's/^ +//; s/ +#.*//; s/   .*//; s/ another program.*//' | awk '!seen[$0]++')
echo "$passed passed, $failed failed"
[ "$passed" -ge 30 ] && [ $failed = 0 ]
