#!/usr/bin/env bash
# npm run model             spin searches every reachable state of lease.pml for a duplicate, then again without one rule at a time.
# npm run model -- NO_GAP   only the searches whose name contains the text
# The exit code is 1 unless the protocol has no duplicate, and has one without each rule.
set -uo pipefail
wanted=${1:-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$(dirname "${BASH_SOURCE[0]}")"/*.pml "$folder"
cd "$folder" || exit
expected=0
surprising=0

# search <duplicate, or unique> <name> <what it is> <holders> <window> <last reading of the clock> <stuck calls> <losses> [-DCLOCK_STEPS]
search() {
  [[ $2 == *"$wanted"* ]] || return
  local model=("-D$2" "-DHOLDERS=$4" "-DWINDOW=$5" "-DLAST_NOW=$6" "-DCOPIES=$7" "-DLOSSES=$8" ${9:+"$9"})
  local found=unfinished
  rm -f lease.pml.trail
  timeout 15m spin "${model[@]}" -run -O2 -DSAFETY -DNOREDUCE -DMEMLIM=4000 -m1000000 -E lease.pml >output 2>&1
  if grep -q 'assertion violated' output; then
    found=duplicate
  elif grep -q 'errors: 0' output && ! grep -qE 'max search depth too small|out of memory|not completed' output; then
    found=unique
  fi
  printf '%-10s %9s states  %s: %s\n' "$found" "$(grep -oP '\d+(?= states, stored)' output)" "$2" "$3"
  if [[ $found == "$1" ]]; then
    expected=$((expected + 1))
    return
  fi
  surprising=$((surprising + 1))
  echo "Expected: $1. What spin printed, or the story of the duplicate:"
  if [[ -f lease.pml.trail ]]; then spin "${model[@]}" -T -t lease.pml | grep -E '^ *t='; else cat output; fi
}

# Worker IDs: 2. maxSkew: 1.
search unique PROTOCOL 'calls get stuck, the clock steps back at will'       2 2 4 1 0 -DCLOCK_STEPS
search unique PROTOCOL 'three holders, stuck calls, the clock steps back'    3 1 3 1 0 -DCLOCK_STEPS
search unique PROTOCOL 'three holders, the server loses writes'              3 2 4 0 1

search duplicate NO_TOKEN_CHECK 'a renewal shows the fencing token of the latest grant'     2 1 4 0 0
search duplicate TOKEN_WITHOUT_FROM '`from` is a part of the fencing token'                 2 1 4 1 0
search duplicate RELEASE_WITHOUT_TOKEN 'a release shows the fencing token'                  2 1 4 1 0
search duplicate RELEASE_BELOW_FROM 'a release stays above the start of its grant'          2 1 4 0 0
search duplicate RELEASE_BEFORE_STOP 'issuing ends before the release is sent'              2 1 4 0 0
search duplicate GRANT_BELOW_RESERVED 'a grant starts at reserved until'                    2 1 4 0 0
search duplicate FROM_IGNORED 'the holder issues above `from` only'                         2 1 4 0 0
search duplicate LIMIT_IGNORED 'the holder issues up to its limit only'                     2 1 4 0 0
search duplicate LATE_REPLY_ADOPTED 'a reply after its timeout is dropped'                  2 1 4 0 0
search duplicate RENEWAL_SHRINKS 'a renewal never lowers reserved until'                    2 1 4 0 0 -DCLOCK_STEPS
search duplicate NO_GRANTS_AFTER 'a new history sets `grantsAfter`'                         2 1 4 0 1
search duplicate GRANT_BELOW_GRANTS_AFTER 'a grant starts at `grantsAfter`'                 2 1 4 0 1
search duplicate NO_HISTORY 'a failover shows as a new history'                             2 1 4 0 1
search duplicate NO_GAP 'a claim ends maxSkew ahead to be renewed'                          2 1 4 0 1
search duplicate ROW_OF_ANY_HISTORY 'a row of this history ends above `grantsAfter`'        2 1 4 0 1
search duplicate EXPIRED_RENEWED 'an expired claim is not renewed'                          2 1 4 0 1
search duplicate HELD_GRANTED 'only an offline worker ID is granted'                        2 2 3 0 1
search duplicate FRESH_NOT_PROBED 'a fresh worker ID has no row'                            2 2 5 0 1

echo "$expected as expected, $surprising not"
exit $((surprising > 0 || expected == 0))
