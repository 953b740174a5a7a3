#!/usr/bin/env bash
# Comments, messages and docs use the words of the field (CONTRIBUTING.md): those of the list have
# a plainer one.
set -u
cd "$PLIANT_SOURCE" || exit
files=$(git ls-files src include cli docs scenes studies README.md CONTRIBUTING.md CHANGELOG.md 2>/dev/null ||
  find src include cli docs scenes studies README.md CONTRIBUTING.md CHANGELOG.md -type f)
# shellcheck disable=SC2046
found=$(grep -nwiE 'tells?|told|telling|anew|dear|dearer|made again|so often' -- $(grep -E '\.(c|h|md|in|xml)$' <<<"$files") /dev/null || true)
[ -z "$found" ] || {
  echo "$found"
  echo "say: says, reports, lists, is given; again, recomputed, rebuilt; expensive; repeated; how many times"
  exit 1
}
echo "$(wc -w <<<"$files") files"
