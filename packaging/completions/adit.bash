# Completion of adit for bash, written by ManualTests from the option table.
_adit() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "forward check doctor help --help --version" -- "$word")
    return
  fi
  case ${COMP_WORDS[1]} in
    forward)
      words="-L --config --name --balance --start --connect-timeout
        --half-closed-idle --idle --reset-drain --user-timeout --half-close
        --no-half-close --no-delay --backlog --receive-buffer --keepalive
        --no-keepalive --keepalive-idle --keepalive-interval --keepalive-count
        --limits-flows --limits-flows-per-source --ftp-tls --ftp-passive-ports
        --ftp-source-port --threads --log --log-level --drain-timeout --buffers
        --pipes --json -h --help --version"
      ;;
    check)
      words="--json -h --help"
      ;;
    doctor)
      words="--json -h --help"
      ;;
    help)
      words="forward check doctor help"
      ;;
  esac
  case $before in
    --balance) words="first" ;;
    --start) words="manual boot" ;;
    --ftp-tls) words="refuse pass" ;;
    --log) words="auto text json off" ;;
    --log-level) words="error warning info debug" ;;
  esac
  if [[ $before == --config || (${COMP_WORDS[1]} == check && $word != -*) ]]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  fi
}
complete -o filenames -F _adit adit
