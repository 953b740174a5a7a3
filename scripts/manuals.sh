#!/usr/bin/env bash
# manuals.sh PLIANT FOLDER: makes the man pages and the completions of bash, zsh and fish from what the command
# says of itself (--help, --help=man, --help=options).
set -eu -o pipefail
pliant=$(realpath "$(command -v "$1")")
mkdir -p "$2/man1" "$2/bash" "$2/zsh" "$2/fish"
cd "$2"

# commands_of [WORD...]: name and summary of every command below, separated by a tab
commands_of() { "$pliant" "$@" --help | sed -nE 's/^  ([a-z]+) +(.*)/\1\t\2/p'; }
# the text of a man page, as in cli/manual.c
escape() { sed -e 's/\\/\\e/g; s/-/\\-/g; s/^\([.'\'']\)/\\\&\1/'; }

# overview NAME SUMMARY [WORD...]: a page that lists commands
overview() {
  local name=$1 summary=$2
  shift 2
  printf '.TH %s 1 "" "%s" "Pliant"\n.SH NAME\n%s \\- %s\n' "${name^^}" "$("$pliant" --version)" "$(escape <<<"$name")" "$summary"
  printf '.SH SYNOPSIS\n.B %s\nCOMMAND ...\n.SH COMMANDS\n' "${name/-/ }"
  commands_of "$@" | escape | while IFS=$'\t' read -r word about; do
    printf '.TP\n\\fB%s\\fR\n%s; see\n.BR %s (1)\n' "$word" "$about" "$(escape <<<"$name")\\-$word"
  done
}

overview pliant "simulates deformable bodies" >man1/pliant.1
overview pliant-mesh "generate, convert and inspect meshes" mesh >man1/pliant-mesh.1

# every command as "words<tab>summary"; those of mesh are of two words
leaves=$(commands_of | grep -v ^mesh; commands_of mesh | sed 's/^/mesh /')
while IFS=$'\t' read -r words _; do
  # shellcheck disable=SC2086
  "$pliant" $words --help=man >"man1/pliant-${words/ /-}.1"
done <<<"$leaves"

# options_of WORDS: their names with dashes
# shellcheck disable=SC2086
options_of() { "$pliant" $1 --help=options | cut -f1 | sed 's/^/--/' | tr '\n' ' '; }

# the families, and the members of one of them
families=$("$pliant" list | sed -nE 's/^([a-z-]+): .*/\1/p' | tr '\n' ' ')
members_of() { "$pliant" list "$1" | sed -nE 's/^  ([^ ]+) .*/\1/p' | tr '\n' ' '; }

{
  echo '# completion of pliant for bash'
  echo '_pliant() {'
  echo '  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]-} choices= previous'
  echo '  [ "$command" = mesh ] && [ "$COMP_CWORD" -gt 2 ] && command="mesh ${COMP_WORDS[2]}"'
  echo '  if [ "$COMP_CWORD" = 1 ]; then'
  echo "    choices='$(commands_of | cut -f1 | tr '\n' ' ')'"
  echo '  elif [ "$COMP_CWORD" = 2 ] && [ "$command" = mesh ]; then'
  echo "    choices='$(commands_of mesh | cut -f1 | tr '\n' ' ')'"
  echo '  elif [[ $word == -* ]]; then'
  echo '    case $command in'
  while IFS=$'\t' read -r words _; do echo "    '$words') choices='$(options_of "$words")' ;;"; done <<<"$leaves"
  echo '    esac'
  echo '  elif [ "$command" = list ]; then'
  echo "    choices='$families'"
  echo '    for previous in "${COMP_WORDS[@]:2:COMP_CWORD-2}"; do'
  echo '      case $previous in'
  for family in $families; do echo "      $family) choices='$families$(members_of "$family")' ;;"; done
  echo '      esac'
  echo '    done'
  echo '  fi'
  echo '  if [ -n "$choices" ]; then'
  echo '    mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")'
  echo '  else'
  echo '    mapfile -t COMPREPLY < <(compgen -f -- "$word")'
  echo '  fi'
  echo '}'
  echo 'complete -o filenames -F _pliant pliant'
} >bash/pliant

{
  echo '#compdef pliant'
  echo 'autoload -U +X bashcompinit && bashcompinit'
  sed 1d bash/pliant | sed 's/mapfile -t COMPREPLY < <(\(.*\))$/COMPREPLY=($(\1))/'
} >zsh/_pliant

quoted() { sed "s/['\\\\]/\\\\&/g; s/.*/'&'/"; }
{
  echo '# completion of pliant for fish'
  commands_of | while IFS=$'\t' read -r word about; do
    echo "complete -c pliant -n __fish_use_subcommand -a $word -d $(quoted <<<"$about")"
  done
  commands_of mesh | while IFS=$'\t' read -r word about; do
    echo "complete -c pliant -n '__fish_seen_subcommand_from mesh' -a $word -d $(quoted <<<"$about")"
  done
  echo "complete -c pliant -f -n '__fish_seen_subcommand_from list' -a '$families'"
  for family in $families; do
    echo "complete -c pliant -f -n '__fish_seen_subcommand_from list; and __fish_seen_subcommand_from $family' -a '$(members_of "$family")'"
  done
  while IFS=$'\t' read -r words _; do
    # an empty field is kept by a separator that is no white space
    # shellcheck disable=SC2086
    "$pliant" $words --help=options | tr '\t' '\037' | while IFS=$'\037' read -r option letter argument about; do
      echo "complete -c pliant -n '__fish_seen_subcommand_from ${words##* }' -l $option${letter:+ -s $letter}${argument:+ -r} -d $(quoted <<<"$about")"
    done
  done <<<"$leaves"
} >fish/pliant.fish
