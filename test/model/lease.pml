/*
 * The lease protocol as a Promela model, to be read beside the Lua of libs/snowflake/src/stores/redis/lease-script.ts
 * and release-script.ts, and beside libs/snowflake/src/lease/lease-holding.ts. `npm run model` checks it with spin.
 *
 * Claim: no (worker ID, timestamp) is ever issued under two grants.
 *
 * In scope: holders that acquire, renew, switch, release, crash and start anew, at any moment and any number of times;
 * replies that are lost; calls that get stuck and are executed much later, when nobody waits for them any more; a
 * server that forgets a suffix of its history, or everything, and whose clock is then up to maxSkew behind; a server
 * clock that steps back at will (CLOCK_STEPS). A paused holder is one that takes no step.
 *
 * Abstracted, with the reason why nothing is lost:
 * - Time is a small whole number, and so is a timestamp. Sequences and finer ticks are the generator's affair.
 * - A holder may issue any timestamp of its window at any time: its own clock plays no part.
 * - The Lua takes a fresh worker ID first, or else the one that was offline longest. The model takes any that is
 *   fresh or offline, so `fresh`, `preferOffline` and the search seed have no part in safety.
 * - A reply is adopted in the step that executes the script, or never. A holder makes one call at a time, so while the
 *   reply is on its way all it can do is issue timestamps of the window it has, or crash, or release; the first has no
 *   effect on others, the other two drop the reply. The release that follows a switch may come late.
 * - A call lost before its script ran changes nothing: a retry that finds no grant of its nonce is a first try.
 * - All holders have the same window (condition (c) of docs/SAFETY.md) and layout. What a deposed master still does
 *   before it is fenced (condition (d)) is part of the suffix that is lost.
 */

#ifndef HOLDERS
#define HOLDERS 3
#endif
#define WORKERS 2
#ifndef WINDOW
#define WINDOW 2
#endif
#define MAX_SKEW 1
/* The server's clock runs from 1 to LAST_NOW. */
#ifndef LAST_NOW
#define LAST_NOW 5
#endif
#define LAST_TIMESTAMP (LAST_NOW + WINDOW)
/* How many calls may be stuck at a time. */
#ifndef COPIES
#define COPIES 1
#endif
/* How often the server loses writes. */
#ifndef LOSSES
#define LOSSES 1
#endif

#define max(a, b) ((a) > (b) -> (a) : (b))

/* ==== What the server stores: the hash of one namespace ==== */

/* Field `<worker ID>`: "<reserved until> <nonce>@<from>". nonce 0: no deed, or one that nobody can show any more. */
typedef Row {
  unsigned present : 1;
  unsigned reserved : 4;
  unsigned nonce : 4;
  unsigned from : 4
};
Row row[WORKERS];
unsigned floor : 4;
/* Whether `reign` is stored and is the server's: an empty registry has none. The model starts in a known one. */
unsigned reignKnown : 1 = 1;

/* What a lagging replica has, which is what a failover leaves. Nothing replicated: the registry is wiped. */
Row replica[WORKERS];
unsigned replicaFloor : 4;
unsigned replicated : 1;
unsigned losses : 2 = LOSSES;

/* Redis TIME, and its latest reading at which anything was granted. */
unsigned now : 4 = 1;
unsigned latestGrant : 4;
/* Condition (b) of docs/SAFETY.md: after a loss the clock never reads less than this. */
unsigned leastNow : 4 = 1;

/* ==== What a holder knows: LeaseHolding ==== */

/* `lease` is (worker, nonce@from, until), nonce 0 without one. `next` is `this.nonce`; 0: no call with it was sent. */
typedef Holder {
  unsigned worker : 1;
  unsigned nonce : 4;
  unsigned from : 4;
  unsigned until : 4;
  unsigned next : 4
};
Holder holder[HOLDERS];

/* ==== Calls and replies ==== */

#define NO_CALL 0
#define LEASE 1
#define RELEASE 2

/* worker, nonce@from, until: the claim (nonce 0 without one). RELEASE has the last timestamp used in `until`. */
typedef Call {
  unsigned kind : 2;
  unsigned worker : 1;
  unsigned nonce : 4;
  unsigned from : 4;
  unsigned until : 4;
  unsigned next : 4;
  unsigned retry : 1
};
Call stuck[COPIES];

/* The call that is executed in the step under way, and the reply. Empty between steps. */
Call ask;

#define REFUSED 0
#define KEPT 1
#define NEW 2
typedef Reply {
  unsigned outcome : 2;
  unsigned worker : 1;
  unsigned nonce : 4;
  unsigned from : 4;
  unsigned until : 4
};
Reply reply;
/* The worker ID that the search meets first. */
unsigned preferred : 1;
unsigned windowEnd : 4;

/* ==== The rules, and what becomes of each when a mutation takes it away ==== */

#ifdef NO_DEED_CHECK
#define SAME_DEED(r, claim) (true)
#elif defined(DEED_WITHOUT_FROM)
#define SAME_DEED(r, claim) (r.nonce == claim.nonce)
#else
#define SAME_DEED(r, claim) (r.nonce == claim.nonce && r.from == claim.from)
#endif

#ifdef RELEASE_WITHOUT_DEED
#define MAY_RELEASE(w) (row[w].present)
#else
#define MAY_RELEASE(w) (row[w].present && row[w].nonce == ask.nonce && row[w].from == ask.from)
#endif

#ifdef RELEASE_BELOW_FROM
#define RELEASED_UNTIL ask.until
#else
#define RELEASED_UNTIL max(ask.until, ask.from)
#endif

/* The end of a claim must lie this far ahead of the server's clock. */
#ifdef NO_GAP
#define NOT_EXPIRED(end, clock) ((end) >= (clock))
#elif defined(EXPIRED_RENEWED)
#define NOT_EXPIRED(end, clock) (true)
#else
#define NOT_EXPIRED(end, clock) ((end) >= (clock) + MAX_SKEW)
#endif

#ifdef EXPIRED_REPEATED
#define REPEATABLE(w) (true)
#else
#define REPEATABLE(w) (row[w].reserved >= now + MAX_SKEW)
#endif

/* A live holder carries its claim across a wiped registry. */
#ifdef NO_CLAIM_ACROSS_WIPE
#define CARRIED(w) (false)
#else
#define CARRIED(w) (!row[w].present)
#endif

/* A renewal never takes back what was given. */
#ifdef RENEWAL_SHRINKS
#define KEPT_UNTIL (now + WINDOW)
#else
#define KEPT_UNTIL max(reach, now + WINDOW)
#endif

#ifdef NO_FLOOR
#define FLOOR_OF_REIGN 0
#else
#define FLOOR_OF_REIGN max(floor, now + WINDOW + MAX_SKEW)
#endif

#ifdef FLOOR_NOT_AWAITED
#define FLOOR_PASSED (true)
#else
#define FLOOR_PASSED (now > floor)
#endif

/* The counter `fresh` may have been forgotten: the row itself tells whether a worker ID was used. */
#ifdef FRESH_NOT_PROBED
bit countedFresh[WORKERS] = 1;
#define FRESH(w) (countedFresh[w])
#else
#define FRESH(w) (!row[w].present)
#endif

#ifdef HELD_GRANTED
#define OFFLINE(w) (true)
#else
#define OFFLINE(w) (row[w].reserved < now)
#endif
#define FREE(w) (FRESH(w) || OFFLINE(w))

#define RESERVED(w) (FRESH(w) -> 0 : row[w].reserved)
#ifdef GRANT_BELOW_RESERVED
#define GRANT_FROM(w) floor
#elif defined(GRANT_BELOW_FLOOR)
#define GRANT_FROM(w) RESERVED(w)
#else
#define GRANT_FROM(w) max(RESERVED(w), floor)
#endif

/* What a holder may issue: the timestamps above the first and up to the second. */
#ifdef FROM_IGNORED
#define ISSUES_ABOVE(h) 0
#else
#define ISSUES_ABOVE(h) holder[h].from
#endif
#ifdef LIMIT_IGNORED
#define ISSUES_UP_TO(h) LAST_TIMESTAMP
#else
#define ISSUES_UP_TO(h) holder[h].until
#endif

/* The last timestamp that a holder has used when it leaves, and the one that it tells. */
#ifdef LIMIT_IGNORED
#define LAST_USED LAST_TIMESTAMP
#elif defined(RELEASE_BEFORE_STOP)
#define LAST_USED windowEnd
#else
#define LAST_USED ask.until
#endif

/* ==== The claim ==== */

/* Per worker ID, the last timestamp that a holder may have issued who has meanwhile crashed or left. */
byte leftBehind[WORKERS];

/*
 * Checked whenever a holder comes to hold timestamps `(above, upTo]`: nobody else may issue one of them, and nobody
 * who is gone issued one, or a later one. It follows that nothing is issued twice: of two holders who issue the same,
 * one came to hold it after the other, who then was still there or had gone.
 */
#define OVERLAPS(h, other, above, upTo) ((other) != (h) \
  && holder[other].nonce != 0 && holder[other].worker == holder[h].worker \
  && max(above, ISSUES_ABOVE(other)) < (ISSUES_UP_TO(other) < (upTo) -> ISSUES_UP_TO(other) : (upTo)))

inline check_alone(h, above, upTo) {
  assert((above) >= (upTo) || leftBehind[holder[h].worker] <= (above));
  i = 0;
  do
  :: i < HOLDERS -> assert(!OVERLAPS(h, i, above, upTo)); i++
  :: else -> break
  od
}

inline leave_behind(worker_id, last) {
  leftBehind[worker_id] = max(leftBehind[worker_id], last)
}

/* Scratch within one deterministic step: written before it is read, so it is no part of the state. */
hidden byte i, j, reach, names, mine, leastFrom, lowest;
hidden byte renamed[16];
hidden int keyOfFirst, keyOfSecond, swapped;

/* ==== lease-script.ts: `ask` in, `reply` out, all in one atomic step ==== */

inline grant_or_renew() {
  reply.outcome = REFUSED;

  /* BEGIN_REIGN. Written together with whatever the reply is, `WAIT` and `FULL` included. */
  if
  :: !reignKnown -> floor = FLOOR_OF_REIGN; reignKnown = 1
  :: else
  fi;

  /* RENEW. An absent row is as good as an equal deed. */
  if
  :: ask.nonce != 0 ->
    reach = max(row[ask.worker].reserved, ask.until);
    if
    :: (CARRIED(ask.worker) || (row[ask.worker].present && SAME_DEED(row[ask.worker], ask))) && NOT_EXPIRED(reach, now) ->
      row[ask.worker].present = 1;
      row[ask.worker].reserved = KEPT_UNTIL;
      row[ask.worker].nonce = ask.nonce;
      row[ask.worker].from = ask.from;
      reply.outcome = KEPT;
      reply.until = row[ask.worker].reserved;
      note_grant()
    :: else
    fi
  :: else
  fi;

  /* REPEAT_GRANT. The reply to a call with this nonce was lost: the same grant again, the one that reaches furthest. */
  if
  :: reply.outcome == REFUSED && ask.retry ->
    mine = WORKERS;
    i = 0;
    do
    :: i < WORKERS ->
      if
      :: row[i].present && row[i].nonce == ask.next ->
        if
        :: mine == WORKERS || row[i].reserved > row[mine].reserved -> mine = i
        :: else
        fi
      :: else
      fi;
      i++
    :: else -> break
    od;
    if
    :: mine < WORKERS && REPEATABLE(mine) ->
      reply.outcome = NEW;
      reply.worker = mine;
      reply.nonce = row[mine].nonce;
      reply.from = row[mine].from;
      reply.until = row[mine].reserved
    :: else
    fi
  :: else
  fi;

  /* ACQUIRE. */
  if
  :: reply.outcome == REFUSED && FLOOR_PASSED ->
    mine = (FREE(preferred) -> preferred : 1 - preferred);
    if
    :: FREE(mine) ->
      reply.outcome = NEW;
      reply.worker = mine;
      reply.nonce = ask.next;
      reply.from = GRANT_FROM(mine);
      reply.until = now + WINDOW;
#ifdef FRESH_NOT_PROBED
      countedFresh[mine] = 0;
#endif
      row[mine].present = 1;
      row[mine].reserved = reply.until;
      row[mine].nonce = ask.next;
      row[mine].from = reply.from;
      note_grant()
    :: else
    fi
  :: else
  fi
}

inline note_grant() {
#ifdef CLOCK_STEPS
  latestGrant = max(latestGrant, now)
#else
  skip
#endif
}

/* `mine` above is never read for a refused call; which free worker ID comes first is spin's choice. */
inline choose_preferred() {
  if
  :: preferred = 0
  :: FREE(0) && FREE(1) -> preferred = 1
  fi
}

/* ==== release-script.ts ==== */

inline release() {
  if
  :: MAY_RELEASE(ask.worker) ->
    row[ask.worker].reserved = RELEASED_UNTIL;
    row[ask.worker].nonce = 0;
    row[ask.worker].from = 0
  :: else
  fi
}

/* ==== Between steps: one name for states that differ in nothing that anybody can tell ==== */

inline see(name) {
  if
  :: name != 0 && renamed[name] == 0 -> names++; renamed[name] = names
  :: else
  fi;
  name = renamed[name]
}

inline forget_unseen(r) {
  r.nonce = renamed[r.nonce];
  if
  :: r.nonce == 0 -> r.from = 0
  :: else
  fi
}

/* A nonce of a next call that is written nowhere is as good as a new one. */
inline forget_unused_next(h) {
  j = 0;
  do
  :: j < WORKERS && (row[j].nonce == holder[h].next || replica[j].nonce == holder[h].next) -> break
  :: j >= WORKERS && j < WORKERS + COPIES && stuck[j - WORKERS].next == holder[h].next -> break
  :: j == WORKERS + COPIES -> holder[h].next = 0; break
  :: else -> j++
  od
}

/*
 * A claim that can never be renewed again is worth nothing: no row has its deed, no stuck call may write it again,
 * nobody else shows it, and it is expired for the case that its row is absent, or will be after a loss.
 */
#ifdef CLOCK_STEPS
#define EARLIEST_NOW leastNow
#else
#define EARLIEST_NOW (losses > 0 && now > leastNow -> now - 1 : now)
#endif
#define WORTHLESS(claim) (!SAME_DEED(row[claim.worker], claim) && !SAME_DEED(replica[claim.worker], claim) \
  && ((row[claim.worker].present && losses == 0) || !NOT_EXPIRED(claim.until, EARLIEST_NOW)))

/* `leastFrom`: the lowest floor under which the registry, or the replica after a failover, may grant from now on. */
inline find_least_from(known, itsFloor) {
  leastFrom = EARLIEST_NOW;
  leastFrom = leastFrom + WINDOW + MAX_SKEW;
  if
  :: known -> leastFrom = itsFloor
  :: else
  fi
}

/* A row that is free under every floor to come, and is not above it, may as well end at it. */
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
  find_least_from(reignKnown, floor);
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
  :: j < COPIES -> mine = mine + (stuck[j].nonce == name) + (stuck[j].next == name); j++
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
  :: i < COPIES ->
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
    :: i < COPIES -> stuck[i].worker = (stuck[i].nonce != 0 && !stuck[i].worker); i++
    :: else -> break
    od
  :: else
  fi
}

/*
 * Ends every step: clears the scratch call and reply, names nonces in order of appearance (they are
 * only ever compared for equality; one that nobody can show any more is none) and, unless a trace is to be read,
 * sorts the holders (they are alike, and none has a memory beyond its record).
 */
inline settle() {
  d_step {
    ask.kind = 0; ask.worker = 0; ask.nonce = 0; ask.from = 0; ask.until = 0; ask.next = 0; ask.retry = 0;
    reply.outcome = 0; reply.worker = 0; reply.nonce = 0; reply.from = 0; reply.until = 0;
    preferred = 0;
    windowEnd = 0;
#ifdef REDUCED
    drop_worthless_claims();
#endif
    i = 0;
    do
    :: i < HOLDERS -> forget_unused_next(i); i++
    :: else -> break
    od;
#ifdef REDUCED
    names = 0;
    in_order(0, 1);
#if HOLDERS > 2
    in_order(1, 2);
    in_order(0, 1);
#endif
#endif
    names = 0;
    i = 0;
    do
    :: i < 16 -> renamed[i] = 0; i++
    :: else -> break
    od;
    i = 0;
    do
    :: i < HOLDERS -> see(holder[i].nonce); see(holder[i].next); i++
    :: else -> break
    od;
    i = 0;
    do
    :: i < COPIES -> see(stuck[i].nonce); see(stuck[i].next); i++
    :: else -> break
    od;
#ifdef LATE_REPLY_ADOPTED
    i = 0;
    do
    :: i < HOLDERS -> see(late[i].nonce); i++
    :: else -> break
    od;
#endif
    i = 0;
    do
    :: i < WORKERS -> forget_unseen(row[i]); forget_unseen(replica[i]); i++
    :: else -> break
    od;
#ifdef REDUCED
    level_worker(0);
    level_worker(1);
    workers_in_order();
#endif
    i = 0
  }
}

/* ==== Holders: lease-holding.ts and lease-keeper.ts ==== */

/* LeaseHolding.ask. 15 is a name that nobody has: settle() gives each new nonce a smaller one. */
inline prepare(h, showClaim) {
  ask.kind = LEASE;
  if
  :: showClaim ->
    ask.worker = holder[h].worker;
    ask.nonce = holder[h].nonce;
    ask.from = holder[h].from;
    ask.until = holder[h].until
  :: else
  fi;
  ask.retry = (holder[h].next != 0);
  if
  :: holder[h].next == 0 -> holder[h].next = 15
  :: else
  fi;
  ask.next = holder[h].next
}

/* Only a `KEPT` or `NEW` changes what a holder knows. */
inline adopt(h) {
  if
  :: reply.outcome == KEPT ->
    check_alone(h, holder[h].until, reply.until);
    holder[h].until = reply.until;
    printf("t=%d  holder %d renewed worker ID %d until %d\n", now, h, holder[h].worker, reply.until)
  :: reply.outcome == NEW ->
    leave_lease(h);
    holder[h].worker = reply.worker;
    holder[h].nonce = reply.nonce;
    holder[h].from = reply.from;
    holder[h].until = reply.until;
    holder[h].next = 0;
    check_alone(h, ISSUES_ABOVE(h), ISSUES_UP_TO(h));
    printf("t=%d  holder %d acquired worker ID %d for (%d, %d]\n", now, h, reply.worker, reply.from, reply.until)
  :: else
  fi
}

/* A call that is stuck stays so for as long as spin likes. Its holder has timed out. */
inline get_stuck() {
  if
  :: stuck[0].kind == NO_CALL -> j = 0
  :: else -> j = COPIES - 1
  fi;
  stuck[j].kind = ask.kind;
  stuck[j].worker = ask.worker;
  stuck[j].nonce = ask.nonce;
  stuck[j].from = ask.from;
  stuck[j].until = ask.until;
  stuck[j].next = ask.next;
  stuck[j].retry = ask.retry
}
#define MAY_GET_STUCK (stuck[0].kind == NO_CALL || stuck[COPIES - 1].kind == NO_CALL)

inline prepare_release(h) {
  ask.kind = RELEASE;
  ask.worker = holder[h].worker;
  ask.nonce = holder[h].nonce;
  ask.from = holder[h].from;
  ask.until = holder[h].until;
  ask.next = 0;
  ask.retry = 0;
  windowEnd = holder[h].until
}

/* The last timestamp used: any of the window, and one below it stands for none. */
inline choose_last_used() {
  do
  :: ask.until > 0 && ask.until >= ask.from -> ask.until--
  :: break
  od;
  leave_behind(ask.worker, LAST_USED)
}

/* A release is executed, or gets stuck. One that gets lost leaves the lease behind as a crash does. */
inline give_back(h) {
  if
  :: choose_last_used();
    d_step { release(); printf("t=%d  holder %d released worker ID %d at %d\n", now, h, ask.worker, ask.until) }
  :: MAY_GET_STUCK ->
    choose_last_used();
    d_step { get_stuck(); printf("t=%d  the release of worker ID %d at %d is stuck\n", now, ask.worker, ask.until) }
  fi
}

inline forget_lease(h) {
  holder[h].worker = 0;
  holder[h].nonce = 0;
  holder[h].from = 0;
  holder[h].until = 0
}

/* Without a release. */
inline leave_lease(h) {
  if
  :: holder[h].nonce != 0 -> leave_behind(holder[h].worker, ISSUES_UP_TO(h))
  :: else
  fi;
  forget_lease(h)
}

/* The process is gone; a new one takes its place. */
inline restart(h) {
#ifdef LATE_REPLY_ADOPTED
  late[h].outcome = 0; late[h].worker = 0; late[h].nonce = 0; late[h].from = 0; late[h].until = 0;
#endif
  holder[h].next = 0
}

inline lose_reply(h) {
#ifdef LATE_REPLY_ADOPTED
  if
  :: reply.outcome == NEW ->
    late[h].outcome = NEW;
    late[h].worker = reply.worker;
    late[h].nonce = reply.nonce;
    late[h].from = reply.from;
    late[h].until = reply.until
  :: else
  fi;
#endif
  printf("t=%d  a reply to holder %d was lost\n", now, h)
}

#ifdef LATE_REPLY_ADOPTED
Reply late[HOLDERS];
#endif

/* Of several holders that know nothing, one stands for all. */
#ifdef REDUCED
#define KNOWS_NOTHING(h) (holder[h].nonce == 0 && holder[h].next == 0)
#define IS_TWIN(h) (h > 0 && KNOWS_NOTHING(h) && KNOWS_NOTHING(h - 1))
#else
#define IS_TWIN(h) (false)
#endif

proctype HolderProcess(byte me) {
  do
  /* acquire() without a lease, renew() with one. Whatever the reply says instead, it is taken. */
  :: atomic {
      !IS_TWIN(me);
      choose_preferred();
      d_step { prepare(me, true); grant_or_renew() };
      if
      :: reply.outcome != REFUSED -> adopt(me)
      :: lose_reply(me)
      fi;
      settle()
    }

  /* switchOrRenew(): another worker ID is acquired without showing the lease, adopted, and the old one given back.
   * Where there is none, the old one is renewed: that is the step above. */
  :: atomic {
      holder[me].nonce != 0;
      choose_preferred();
      d_step { prepare(me, false); grant_or_renew() };
      if
      :: reply.outcome == NEW ->
        if
        :: prepare_release(me); give_back(me); forget_lease(me)
        :: true
        fi;
        adopt(me)
      :: lose_reply(me)
      fi;
      settle()
    }

  /* A call of either kind gets stuck, and its holder times out. */
  :: atomic {
      MAY_GET_STUCK && !IS_TWIN(me);
      if
      :: prepare(me, true)
      :: holder[me].nonce != 0 -> prepare(me, false)
      fi;
      d_step { get_stuck(); printf("t=%d  a call of holder %d is stuck\n", now, me) };
      settle()
    }

  /* LeaseHolding.release(): the process stops. */
  :: atomic {
      holder[me].nonce != 0;
      prepare_release(me);
      give_back(me);
      forget_lease(me);
      restart(me);
      settle()
    }

  /* The process is killed. */
  :: atomic {
      holder[me].nonce != 0 || holder[me].next != 0;
      d_step {
        leave_lease(me);
        restart(me);
        printf("t=%d  holder %d crashed\n", now, me)
      };
      settle()
    }

#ifdef LATE_REPLY_ADOPTED
  :: atomic {
      late[me].outcome == NEW;
      reply.outcome = NEW;
      reply.worker = late[me].worker;
      reply.nonce = late[me].nonce;
      reply.from = late[me].from;
      reply.until = late[me].until;
      adopt(me);
      late[me].outcome = 0; late[me].worker = 0; late[me].nonce = 0; late[me].from = 0; late[me].until = 0;
      settle()
    }
#endif
  od
}

/* ==== The network: executes stuck calls. Nobody waits for the replies ==== */

proctype Network() {
  byte copy;
  do
  :: atomic {
      if
      :: stuck[0].kind != NO_CALL -> copy = 0
      :: COPIES > 1 && stuck[COPIES - 1].kind != NO_CALL -> copy = COPIES - 1
      fi;
      choose_preferred();
      d_step {
        ask.kind = stuck[copy].kind; stuck[copy].kind = NO_CALL;
        ask.worker = stuck[copy].worker; stuck[copy].worker = 0;
        ask.nonce = stuck[copy].nonce; stuck[copy].nonce = 0;
        ask.from = stuck[copy].from; stuck[copy].from = 0;
        ask.until = stuck[copy].until; stuck[copy].until = 0;
        ask.next = stuck[copy].next; stuck[copy].next = 0;
        ask.retry = stuck[copy].retry; stuck[copy].retry = 0;
        copy = 0;
        printf("t=%d  a stuck call is executed\n", now);
        if
        :: ask.kind == LEASE -> grant_or_renew()
        :: else -> release()
        fi
      };
      settle()
    }
  od
}

/* ==== The server: its clock, and what it forgets ==== */

proctype Server() {
  do
  :: atomic { now < LAST_NOW -> now++ }

#ifdef CLOCK_STEPS
  :: atomic { now > leastNow -> now-- }
#endif

  /* The replica has caught up, for the last time before the loss. */
  :: atomic {
      losses > 0 && !replicated;
      d_step {
        i = 0;
        do
        :: i < WORKERS ->
          replica[i].present = row[i].present;
          replica[i].reserved = row[i].reserved;
          replica[i].nonce = row[i].nonce;
          replica[i].from = row[i].from;
          i++
        :: else -> break
        od;
        i = 0;
        replicaFloor = floor;
        replicated = 1;
        printf("t=%d  the replica has caught up\n", now)
      }
    }

  /* Failover to the replica or, when nothing was replicated, a wiped registry. */
  :: atomic {
      losses > 0 && now + MAX_SKEW >= latestGrant;
      d_step {
        if
        :: replicated -> printf("t=%d  failover to the replica\n", now)
        :: else -> printf("t=%d  the registry is wiped\n", now)
        fi;
        i = 0;
        do
        :: i < WORKERS ->
          row[i].present = replica[i].present; replica[i].present = 0;
          row[i].reserved = replica[i].reserved; replica[i].reserved = 0;
          row[i].nonce = replica[i].nonce; replica[i].nonce = 0;
          row[i].from = replica[i].from; replica[i].from = 0;
#ifdef FRESH_NOT_PROBED
          countedFresh[i] = !replicated;
#endif
          i++
        :: else -> break
        od;
        floor = replicaFloor;
#ifdef NO_REIGN
        reignKnown = replicated;
#else
        reignKnown = 0;
#endif
        replicaFloor = 0;
        replicated = 0;
        losses--;
#ifdef CLOCK_STEPS
        leastNow = max(leastNow, (latestGrant > MAX_SKEW -> latestGrant - MAX_SKEW : 1))
#else
        leastNow = max(leastNow, (now > MAX_SKEW -> now - MAX_SKEW : 1))
#endif
      };
      do
      :: now > leastNow -> now--
      :: break
      od;
      settle()
    }
  od
}

init {
  atomic {
    byte me;
    do
    :: me < HOLDERS -> run HolderProcess(me); me++
    :: else -> break
    od;
    run Network();
    run Server();
    me = 0
  }
}
