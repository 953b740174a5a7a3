#!/usr/bin/env bash
# What users look into and change in the page: runs tests/view/inspect.mjs in headless Chromium.
# label: release
PLIANT_PAGE_TESTS=inspect.mjs exec "$(dirname "$0")/test_browser.sh" "$@"
