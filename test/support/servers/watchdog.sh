#!/bin/sh
# Outlives the test process that started it by a moment: when that process ends, however it ends, its end of the
# pipe closes, and the processes and directories it left behind are removed.
# Lines on stdin: `+<pid> <signal> <directory>` to watch, `-<pid>` to forget.
# A shell, because it starts in a millisecond, and nearly every spec that starts a process needs one.

# Ctrl-C goes to the whole foreground group, so the end of the pipe, not a signal, starts the clean-up.
trap '' INT TERM HUP

# Each between blanks. Signal and directory of process 7 are in signal_7 and directory_7.
pids=' '

forget() {
  case "$pids" in *" $1 "*) pids="${pids%%" $1 "*} ${pids#*" $1 "}" ;; esac
}

# A line that was torn off isn't read: its process may be another one.
while read -r change signal directory; do
  pid=${change#?}
  case "$pid" in '' | *[!0-9]*) continue ;; esac
  forget "$pid"
  case "$change" in
    +*)
      pids="$pids$pid "
      eval "signal_$pid=\${signal#SIG} directory_$pid=\$directory"
      ;;
  esac
done

remove() {
  # A process that is about to end may still write into it.
  for _ in 1 2 3 4 5; do
    rm -rf -- "$1" && return
    sleep 0.1
  done
}

for pid in $pids; do eval "kill -s \"\$signal_$pid\" $pid"; done
if [ -n "${pids# }" ]; then sleep 0.5; fi
for pid in $pids; do
  kill -s KILL "$pid"
  eval "directory=\$directory_$pid"
  if [ -n "$directory" ]; then remove "$directory"; fi
done
