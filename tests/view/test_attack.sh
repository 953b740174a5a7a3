#!/usr/bin/env bash
# A few seconds under attack: the same bits. scripts/viewer.sh attack does it for ten minutes, with times.
set -eu
skip() {
  echo "skipped: $1"
  exit 77
}
grep -q '^PLIANT_SANITIZE:STRING=.' "$PLIANT_BUILD/CMakeCache.txt" && skip "too slow with sanitizers"
"$PLIANT_COMMAND" view --help >/dev/null 2>&1 || skip "this build has no viewer"
command -v node >/dev/null || skip "there is no node"
[ -d "$PLIANT_SOURCE/viewer/node_modules/playwright-core" ] || skip "playwright-core is not installed"
exec node "$PLIANT_SOURCE/tests/view/attack.mjs" 2 short
