#!/usr/bin/env bash
# A device and the pointer at one body: runs tests/view/felt.mjs in headless Chromium.
# label: release
PLIANT_PAGE_TESTS=felt.mjs exec "$(dirname "$0")/test_browser.sh" "$@"
