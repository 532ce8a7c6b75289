/* ==== Shorter searches: states whose difference can have no effect any more become one ==== */

/*
 * REDUCED merges what is equal for every run and may be used with any mutation: it is a crash of a holder whose lease
 * is worth nothing. PROOF also sorts holders and worker IDs, which are alike, levels rows below every `grantsAfter` to come, and
 * raises what was left behind as far as the protocol allows: that claims more than is needed, so a proof stays one,
 * but what it finds may be no duplicate.
 */

/*
 * A claim that can never be renewed again is worth nothing: no row has its fencing token, no stuck call may write it again,
 * nobody else shows it, and it is expired for the case that its row is absent, or will be after a loss.
 */
#ifdef CLOCK_STEPS
#define EARLIEST_NOW leastNow
#else
#define EARLIEST_NOW (losses > 0 && now > leastNow -> now - 1 : now)
#endif
#define WORTHLESS(claim) (!SAME_TOKEN(row[claim.worker], claim) && !SAME_TOKEN(replica[claim.worker], claim) \
  && ((row[claim.worker].present && losses == 0) || !NOT_EXPIRED(claim.until, EARLIEST_NOW)))

/* `leastFrom`: the lowest `grantsAfter` under which the registry, or the replica after a failover, may grant from now on. */
inline find_least_from(known, itsGrantsAfter) {
  leastFrom = EARLIEST_NOW;
  leastFrom = leastFrom + WINDOW + MAX_SKEW;
  if
  :: known -> leastFrom = itsGrantsAfter
  :: else
  fi
}

/* A row that is free under every `grantsAfter` to come, and is not above it, may as well end at it. */
inline level_row(r) {
  if
  :: r.present && r.nonce == 0 && r.reserved < leastFrom -> r.reserved = leastFrom
  :: else
  fi
}

/* The lowest timestamp above which this row can still be granted or repeated. */
inline find_lowest(r) {
  if
  :: r.nonce != 0 && r.from < lowest -> lowest = r.from
  :: r.nonce == 0 && max(r.reserved, leastFrom) < lowest -> lowest = max(r.reserved, leastFrom)
  :: else
  fi
}

inline level_worker(w) {
  lowest = 15;
  find_least_from(historyKnown, grantsAfter);
  level_row(row[w]);
  find_lowest(row[w]);
  if
  :: losses > 0 ->
    find_least_from(false, 0);
    level_row(replica[w]);
    find_lowest(replica[w])
  :: else
  fi;
  i = 0;
  do
  :: i < HOLDERS ->
    if
    :: holder[i].nonce != 0 && holder[i].worker == w && holder[i].until < lowest -> lowest = holder[i].until
    :: else
    fi;
    i++
  :: else -> break
  od;
  leftBehind[w] = max(leftBehind[w], lowest)
}

inline count_showing(name) {
  mine = 0;
  j = 0;
  do
  :: j < HOLDERS -> mine = mine + (holder[j].nonce == name); j++
  :: else -> break
  od;
  j = 0;
  do
  :: j < SLOTS -> mine = mine + (stuck[j].nonce == name) + (stuck[j].next == name); j++
  :: else -> break
  od
}

inline drop_worthless_claims() {
  i = 0;
  do
  :: i < HOLDERS ->
    if
    :: holder[i].nonce != 0 && WORTHLESS(holder[i]) ->
      count_showing(holder[i].nonce);
      if
      :: mine == 1 -> leave_lease(i)
      :: else
      fi
    :: else
    fi;
    i++
  :: else -> break
  od;
  i = 0;
  do
  :: i < SLOTS ->
    if
    :: stuck[i].nonce != 0 && WORTHLESS(stuck[i]) ->
      count_showing(stuck[i].nonce);
      if
      :: mine == 1 ->
        stuck[i].worker = 0;
        stuck[i].nonce = 0;
        stuck[i].from = 0;
        stuck[i].until = 0;
        if
        :: stuck[i].kind == RELEASE -> stuck[i].kind = NO_CALL
        :: else
        fi
      :: else
      fi
    :: else
    fi;
    i++
  :: else -> break
  od
}

#define KEY(h) ((((holder[h].nonce != 0) * 2 + holder[h].worker) * 16 + holder[h].from) * 32 \
  + holder[h].until * 2 + (holder[h].next != 0))

inline swap(a, b) { swapped = a; a = b; b = swapped }

inline in_order(a, b) {
  keyOfFirst = KEY(a);
  keyOfSecond = KEY(b);
  if
  :: keyOfFirst < keyOfSecond ->
    swap(holder[a].worker, holder[b].worker);
    swap(holder[a].nonce, holder[b].nonce);
    swap(holder[a].from, holder[b].from);
    swap(holder[a].until, holder[b].until);
    swap(holder[a].next, holder[b].next)
  :: else
  fi
}

#define ROW_KEY(r) ((((r.present * 16 + r.reserved) * 16) + r.from) * 2 + (r.nonce != 0))
#define WORKER_KEY(w) ((ROW_KEY(row[w]) * 8192 + ROW_KEY(replica[w])) * 16 + leftBehind[w])

#define SWAP_ROWS(r) \
  swap(r[0].present, r[1].present); \
  swap(r[0].reserved, r[1].reserved); \
  swap(r[0].nonce, r[1].nonce); \
  swap(r[0].from, r[1].from)

inline workers_in_order() {
  if
  :: WORKER_KEY(0) < WORKER_KEY(1) ->
    SWAP_ROWS(row);
    SWAP_ROWS(replica);
    swap(leftBehind[0], leftBehind[1]);
    i = 0;
    do
    :: i < HOLDERS -> holder[i].worker = (holder[i].nonce != 0 && !holder[i].worker); i++
    :: else -> break
    od;
    i = 0;
    do
    :: i < SLOTS -> stuck[i].worker = (stuck[i].nonce != 0 && !stuck[i].worker); i++
    :: else -> break
    od
  :: else
  fi
}

