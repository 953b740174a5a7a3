#!/usr/bin/env bash
# The page in a real browser: runs tests/view/browser.mjs in headless Chromium. Pictures are kept
# in build/PRESET/viewer/pictures.
# label: release
set -eu
skip() {
  echo "skipped: $1"
  exit 77
}
grep -q '^PLIANT_SANITIZE:STRING=.' "$PLIANT_BUILD/CMakeCache.txt" && skip "a sanitizer does not see the page"
"$PLIANT_COMMAND" view --help >/dev/null 2>&1 || skip "this build has no viewer"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
  skip "there is no Chromium (Debian: chromium)"
command -v node >/dev/null || skip "there is no node"
[ -d "$PLIANT_SOURCE/viewer/node_modules/playwright-core" ] || skip "playwright-core is not installed"
export PLIANT_BROWSER=$browser PLIANT_PICTURES=$PLIANT_BUILD/viewer/pictures
mkdir -p "$PLIANT_PICTURES"
exec node "$PLIANT_SOURCE/tests/view/${PLIANT_PAGE_TESTS:-browser.mjs}" "$@"
