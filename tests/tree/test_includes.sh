#!/usr/bin/env bash
# Includes point only downwards: a file may use its own room, the rooms below it and the public
# headers. So sparse and ode never see a mesh, and nothing below io ever sees a file format.
set -eu
cd "$PLIANT_SOURCE"
rooms=(core math sparse dist ode mesh material model body shape couple world haptic io picture scene view)
declare -A height
for i in "${!rooms[@]}"; do height[${rooms[$i]}]=$i; done

bad=0
complain() {
  echo "$1"
  bad=1
}

count=0
for file in $(find src -name "*.[ch]" | sort); do
  room=${file#src/}
  room=${room%%/*}
  own=${height[$room]:-}
  [ -n "$own" ] || complain "$file: the room $room is not in the list of this test"
  while read -r included; do
    count=$((count + 1))
    case $included in
    pliant/*.h) [ -e "include/$included" ] || complain "$file: there is no include/$included" ;;
    */*)
      other=${height[${included%%/*}]:-}
      [ -n "$other" ] || complain "$file: \"$included\" is of no room"
      [ "${other:-0}" -le "${own:-99}" ] || complain "$file: \"$included\" is above the room $room"
      ;;
    *) complain "$file: \"$included\" must name its room" ;;
    esac
  done < <(sed -n 's/^ *# *include *"\([^"]*\)".*/\1/p' "$file")
done

# a user has the public headers only
for file in include/pliant/*.h examples/*.c; do
  while read -r included; do
    case $included in pliant/*) ;; *) complain "$file: \"$included\" is not public" ;; esac
  done < <(sed -n 's/^ *# *include *"\([^"]*\)".*/\1/p' "$file")
done

echo "$count includes of ${#rooms[@]} rooms"
[ "$count" -gt 0 ] || bad=1
exit $bad
