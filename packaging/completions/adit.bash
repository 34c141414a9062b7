# Completion of adit's verbs, options and files for bash.
_adit() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "forward check doctor --help --version" -- "$word")
  elif [[ $before == --config || ${COMP_WORDS[1]} == check ]]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  elif [[ ${COMP_WORDS[1]} == forward && $before == --log ]]; then
    mapfile -t COMPREPLY < <(compgen -W "text json off" -- "$word")
  elif [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(
      compgen -W "$(adit "${COMP_WORDS[1]}" --help 2>/dev/null | grep -oE -e '--[a-z][a-z-]+')" \
        -- "$word"
    )
  fi
}
complete -F _adit adit
