#compdef adit
# Completion of adit for zsh, written by ManualTests from the option table.
_adit() {
  local -a verbs
  verbs=(
    'forward:run tunnels in the foreground'
    'check:say what is wrong in a configuration file'
    'doctor:say what this machine lacks for which feature'
    'help:explain a verb'
  )
  if ((CURRENT == 2)); then
    _describe verb verbs
    return
  fi
  local verb=$words[2]
  shift words
  ((CURRENT--))
  case $verb in
    forward)
      _arguments -S \
        '*-L+[A tunnel]:listen=target:' \
        '--config=[The tunnels of a file]:file:_files' \
        '--name=[The name people and programs call the ...]:name:' \
        '--balance=[How a target is chosen]:value:(first)' \
        '--start=[When the daemon starts the tunnel]:value:(manual boot)' \
        '--connect-timeout=[The most that connecting a flow takes]:duration:' \
        '--half-closed-idle=[The most silence on a flow of which one ...]:duration:' \
        '--idle=[The most silence on a flow with both ...]:duration:' \
        '--reset-drain=[The most silence while received bytes are ...]:duration:' \
        '--user-timeout=[The most that sent bytes go ...]:duration:' \
        '--half-close[Whether the end of one direction leaves ...]' \
        '--no-half-close[The same as --half-close=false]' \
        '--no-delay[Whether small segments are sent at once]' \
        '--backlog=[Connections that the kernel holds until ...]:number:' \
        '--receive-buffer=[For UDP]:number:' \
        '--keepalive[Whether silent peers are probed]' \
        '--no-keepalive[The same as --keepalive=false]' \
        '--keepalive-idle=[Silence before the first probe]:duration:' \
        '--keepalive-interval=[Time between probes]:duration:' \
        '--keepalive-count=[Probes without an answer before the ...]:number:' \
        '--limits-flows=[Flows at one time]:number:' \
        '--limits-flows-per-source=[For UDP]:number:' \
        '--ftp-tls=[For ftp]:value:(refuse pass)' \
        '--ftp-passive-ports=[For ftp]:first-last|any:' \
        '--ftp-source-port=[For ftp]:number:' \
        '--threads=[Threads that carry traffic]:number:' \
        '--log=[The access log on standard output]:value:(auto text json off)' \
        '--log-level=[The least that is told on standard error]:value:(error warning info debug)' \
        '--drain-timeout=[The most that flows may go on when the ...]:duration:' \
        '--buffers=[Buffers of 64 KiB that may hold bytes at ...]:number:' \
        '--pipes=[Pipes that may hold bytes at one time]:number:' \
        '--json[All output as JSON]' \
        '-h[This text]' \
        '--help[This text]' \
        '--version[The version]'
      ;;
    check)
      _arguments -S \
        '--json[All output as JSON]' \
        '-h[This text]' \
        '--help[This text]' \
        '1:file:_files'
      ;;
    doctor)
      _arguments -S \
        '--json[All output as JSON]' \
        '-h[This text]' \
        '--help[This text]'
      ;;
    help)
      _arguments -S \
        '1:verb:(forward check doctor help)'
      ;;
  esac
}
_adit "$@"
