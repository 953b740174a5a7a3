#!/usr/bin/env bash
# Every command and option that --help names stands in a man page and in the completions; the pages have no
# mistake that groff sees, and bash completes by its file.
# label: long
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
passed=0 failed=0
ok() { passed=$((passed + 1)); }
bad() {
  failed=$((failed + 1))
  echo "FAILED: $1"
}

"$PLIANT_SOURCE/scripts/manuals.sh" "$PLIANT_COMMAND" "$folder" && ok || bad "manuals.sh"
commands() { "$PLIANT_COMMAND" "$@" --help | sed -nE 's/^  ([a-z]+) +.*/\1/p'; }
pages=$(commands | grep -v '^mesh$'; commands mesh | sed 's/^/mesh-/')
for page in $pages; do
  file=$folder/man1/pliant-$page.1
  options=$("$PLIANT_COMMAND" ${page/-/ } --help | grep -oE '^ +(-., )?--[a-z-]+' | grep -oE -- '--[a-z-]+')
  for option in $options; do
    grep -qF -- "${option//-/\\-}" "$file" && ok || bad "$page: $option is not in the man page"
    grep -F -- "'${page/-/ }')" "$folder/bash/pliant" | grep -qF -- " $option " ||
      grep -F -- "'${page/-/ }')" "$folder/bash/pliant" | grep -qF -- "'$option " || bad "$page: $option is not completed by bash"
    grep -qE -- "from ${page#mesh-}' -l ${option#--}( |$)" "$folder/fish/pliant.fish" && ok || bad "$page: $option is not completed by fish"
  done
done
if command -v groff >/dev/null; then
  for page in "$folder"/man1/*.1; do
    said=$(groff -man -ww -z "$page" 2>&1)
    [ -z "$said" ] && ok || bad "$page: $said"
  done
fi

# complete WORD...: what bash offers for the last one
complete_words() {
  bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pliant; printf "%s\n" "${COMPREPLY[@]}"' \
    - "$folder/bash/pliant" "$@"
}
[ "$(complete_words pliant ru)" = run ] && ok || bad "bash: ru is not completed"
[ "$(complete_words pliant mesh gen)" = generate ] && ok || bad "bash: mesh gen is not completed"
complete_words pliant run --thr | grep -qx -- --threads && ok || bad "bash: run --thr is not completed"
[ "$(complete_words pliant list integ)" = integrator ] && ok || bad "bash: list integ is not completed"
[ "$(complete_words pliant list solver integrator newm)" = newmark ] && ok || bad "bash: list integrator newm is not completed"
[ -z "$(complete_words pliant list solver newm)" ] && ok || bad "bash: a solver is completed to newmark"
complete_words pliant mesh info --js | grep -qx -- --json && ok || bad "bash: mesh info --js is not completed"

# the other shells read their files and offer the same, where they are there
if command -v zsh >/dev/null; then
  zsh -n "$folder/zsh/_pliant" && ok || bad "zsh: the file has a mistake"
  for page in $pages; do
    for option in $("$PLIANT_COMMAND" ${page/-/ } --help=options | cut -f1); do
      grep -F -- "'${page/-/ }')" "$folder/zsh/_pliant" | grep -qE -- "[' ]--$option " && ok || bad "zsh: $page: --$option is not completed"
    done
  done
fi
if command -v fish >/dev/null; then
  offered() { HOME=$folder fish -c "source $folder/fish/pliant.fish; complete -C 'pliant $1'" 2>/dev/null; }
  offered ru | grep -q '^run' && ok || bad "fish: ru is not completed"
  offered 'list integrator newm' | grep -q '^newmark' && ok || bad "fish: list integrator newm is not completed"
  offered 'run --thr' | grep -q '^--threads' && ok || bad "fish: run --thr is not completed"
fi

echo "$passed passed, $failed failed"
[ $failed = 0 ]
