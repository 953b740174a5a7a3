#!/usr/bin/env bash
# All C files are laid out by .clang-format ("make format" does it).
set -eu
cd "$PLIANT_SOURCE"
if ! clang-format --version 2>/dev/null | grep -q 'version 14'; then
  echo "clang-format 14 (Debian 12) is not installed; other versions lay out differently"
  exit 77
fi
# shellcheck disable=SC2046
clang-format --dry-run -Werror $(find src include cli tests bench examples -name '*.[ch]' 2>/dev/null)
