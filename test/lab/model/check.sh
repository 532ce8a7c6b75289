#!/usr/bin/env bash
# npm run model             spin searches every reachable state of lease.pml and backfill.pml for a duplicate, then again without one
#                           rule at a time.
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

# search <duplicate, or unique> <name> <what it is> <file> <definitions>
search() {
  local wants=$1 name=$2 what=$3 file=$4 model=("-D$2" "${@:5}") found=unfinished
  [[ $name == *"$wanted"* ]] || return
  rm -f "$file.trail"
  timeout 15m spin "${model[@]}" -run -O2 -DSAFETY -DNOREDUCE -DMEMLIM=4000 -m1000000 -E "$file" >output 2>&1
  if grep -q 'assertion violated' output; then
    found=duplicate
  elif grep -q 'errors: 0' output && ! grep -qE 'max search depth too small|out of memory|not completed' output; then
    found=unique
  fi
  printf '%-10s %9s states  %s: %s\n' "$found" "$(grep -oP '\d+(?= states, stored)' output)" "$name" "$what"
  if [[ $found == "$wants" ]]; then
    expected=$((expected + 1))
    return
  fi
  surprising=$((surprising + 1))
  echo "Expected: $wants. What spin printed, or the story of the duplicate:"
  if [[ -f $file.trail ]]; then spin "${model[@]}" -T -t "$file" | grep -E '^ *t='; else cat output; fi
}

# lease <duplicate, or unique> <name> <what it is> <holders> <window> <last reading of the clock> <stuck calls> <losses> [-DCLOCK_STEPS]
lease() {
  search "$1" "$2" "$3" lease.pml "-DHOLDERS=$4" "-DWINDOW=$5" "-DLAST_NOW=$6" "-DCOPIES=$7" "-DLOSSES=$8" ${9:+"$9"}
}

# backfill <duplicate, or unique> <name> <what it is> <last timestamp requested> <last reading of the clock> <calls on their way> <losses>
backfill() {
  search "$1" "$2" "$3" backfill.pml "-DLAST_PAST=$4" "-DLAST_NOW=$5" "-DCALLS=$6" "-DLOSSES=$7"
}

# Worker IDs: 2. maxSkew: 1.
lease unique PROTOCOL 'calls get stuck, the clock steps back at will'       2 2 4 1 0 -DCLOCK_STEPS
lease unique PROTOCOL 'three holders, stuck calls, the clock steps back'    3 1 3 1 0 -DCLOCK_STEPS
lease unique PROTOCOL 'three holders, the server loses writes'              3 2 4 0 1

lease duplicate NO_TOKEN_CHECK 'a renewal shows the fencing token of the latest grant'     2 1 4 0 0
lease duplicate TOKEN_WITHOUT_FROM '`from` is a part of the fencing token'                 2 1 4 1 0
lease duplicate RELEASE_WITHOUT_TOKEN 'a release shows the fencing token'                  2 1 4 1 0
lease duplicate RELEASE_BELOW_FROM 'a release stays above the start of its grant'          2 1 4 0 0
lease duplicate RELEASE_BEFORE_STOP 'issuing ends before the release is sent'              2 1 4 0 0
lease duplicate GRANT_BELOW_RESERVED 'a grant starts at reserved until'                    2 1 4 0 0
lease duplicate FROM_IGNORED 'the holder issues above `from` only'                         2 1 4 0 0
lease duplicate LIMIT_IGNORED 'the holder issues up to its limit only'                     2 1 4 0 0
lease duplicate LATE_REPLY_ADOPTED 'a reply after its timeout is dropped'                  2 1 4 0 0
lease duplicate RENEWAL_SHRINKS 'a renewal never lowers reserved until'                    2 1 4 0 0 -DCLOCK_STEPS
lease duplicate NO_GRANTS_AFTER 'a new history sets `grantsAfter`'                         2 1 4 0 1
lease duplicate GRANT_BELOW_GRANTS_AFTER 'a grant starts at `grantsAfter`'                 2 1 4 0 1
lease duplicate NO_HISTORY 'a failover shows as a new history'                             2 1 4 0 1
lease duplicate NO_GAP 'a claim ends maxSkew ahead to be renewed'                          2 1 4 0 1
lease duplicate ROW_OF_ANY_HISTORY 'a row of this history ends above `grantsAfter`'        2 1 4 0 1
lease duplicate EXPIRED_RENEWED 'an expired claim is not renewed'                          2 1 4 0 1
lease duplicate HELD_GRANTED 'only an offline worker ID is granted'                        2 2 3 0 1
lease duplicate FRESH_NOT_PROBED 'a fresh worker ID has no row'                            2 2 5 0 1

# Worker IDs: 2. Importers: 2. Holders: 1. Window: 1. maxSkew: 1.
backfill unique BACKFILL 'imports and leases, writes get stuck, replies come late or twice' 3 3 2 0
backfill unique BACKFILL 'the server loses writes'                                          1 4 1 1
backfill unique BACKFILL 'the server loses writes twice before a wait has ended'            1 2 1 2
backfill unique RESERVATION_ENDS 'a lease that begins above the claims ends a reservation'  2 3 2 0

backfill duplicate SERVED_IGNORED 'a claim begins above what the worker ID has served'            2 3 2 0
backfill duplicate ROW_NOT_COMPARED 'a claim is written only if its row is as it was read'        2 3 2 0
backfill duplicate OFFLINE_RESERVED 'a worker ID is reserved for imports only if it has no row'   2 3 2 0
backfill duplicate RESERVATION_ENDS_BELOW 'a reservation ends above what it has served'           2 3 2 0
backfill duplicate ANY_REPLY 'an import uses only the reply to the call that it waits for'        2 3 2 0
backfill duplicate ANY_HISTORY 'a claim needs an earlier one of this history'                     1 4 1 1
backfill duplicate DECLARED_FOREVER 'a declaration as new ends with its history'                  1 4 1 1
backfill duplicate HISTORY_IGNORED 'a claim needs a known history'                                1 4 1 1
backfill duplicate GRANTS_AFTER_NOT_COMPARED 'a claim is written only in the history of its read' 1 4 1 1
backfill duplicate CLAIM_BEFORE_GRANTS_AFTER 'a claim waits until `grantsAfter` has passed'       1 2 1 2

echo "$expected as expected, $surprising not"
exit $((surprising > 0 || expected == 0))
