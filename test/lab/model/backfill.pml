/*
 * Claims of the past (`ids.backfill()`) as a Promela model, to be read beside
 * libs/snowflake/src/stores/protocol/backfill-transaction.ts. `npm run model` checks it with spin.
 *
 * Claim: no (worker ID, timestamp) is granted twice, to two imports or to an import and a lease, and no import uses a grant twice.
 *
 * In scope: two importers that read, write and use, at any moment and any number of times; that crash or time out at any step; writes that
 * get stuck, are executed much later, or twice; replies that are lost, late or repeated; holders that acquire, renew, release and crash;
 * a server that forgets a suffix of its history, or everything, and whose clock is then up to maxSkew behind.
 *
 * Abstracted, with the reason why nothing is lost:
 * - Time is a small whole number, and so is a timestamp. An import may claim the future as well: that imports claim the past has no part
 *   in safety.
 * - An import continues on any row that fits, or reserves any worker ID without a row. Which of them it prefers, that it reserves the last
 *   ones, and that it remembers its own, has no part in safety. So an importer that crashes forgets only the call that it waits for.
 * - A write compares values. etcd and ZooKeeper compare versions, and SQL locks what it reads: both refuse more.
 * - Windows of leases among each other are the affair of lease.pml. A call of a lease is one step here, and its reply is adopted then or
 *   never.
 * - The operator asserts that nothing was lost only if that is true when the registry is read. A loss during the call needs no thought:
 *   a call is shorter than the wait that the loss begins.
 */

#define WORKERS 2
#define IMPORTERS 2
#ifndef HOLDERS
#define HOLDERS 1
#endif
#ifndef WINDOW
#define WINDOW 1
#endif
#define MAX_SKEW 1
/* The server's clock runs from 1 to LAST_NOW. */
#ifndef LAST_NOW
#define LAST_NOW 3
#endif
/* The last timestamp that an import requests. */
#ifndef LAST_PAST
#define LAST_PAST 3
#endif
/* How many calls of importers are on their way at a time: those that somebody waits for, and those that are late. */
#ifndef CALLS
#define CALLS 2
#endif
/* How often the server loses writes. */
#ifndef LOSSES
#define LOSSES 0
#endif

#define max(a, b) ((a) > (b) -> (a) : (b))
#define NEVER_ENDS 15

/* ==== What the server stores ==== */

/* A lease has `reserved`, `holder` and `from`. A reservation for imports has `served` and `mark`: the last timestamp that was claimed, and
 * the `grantsAfter` under which that was. */
typedef Row {
  bit present;
  bit ofImports;
  unsigned reserved : 4;
  unsigned holder : 2;
  unsigned from : 4;
  unsigned served : 4;
  unsigned mark : 4
};
Row row[WORKERS];
unsigned grantsAfter : 4;
/* `grantsAfterReason`: nothing was lost since `init` declared the namespace new. */
bit declaredNew;
/* Whether `historyId` is stored and is the server's. */
bit historyKnown = 1;

/* What a lagging replica has. Nothing replicated: the registry is wiped. */
Row replica[WORKERS];
unsigned replicaGrantsAfter : 4;
bit replicaDeclaredNew;
bit replicated;
unsigned losses : 2 = LOSSES;
/* Whether a loss has changed a row, so that no operator can assert the opposite any more. */
bit lost;

unsigned now : 4 = 1;
/* Condition 5 of docs/explanation/safety.md: after a loss the clock never reads less than this. */
unsigned leastNow : 4 = 1;

/* ==== What importers and holders know, and what is on its way ==== */

#define NO_CALL 0
#define WRITE 1
#define REPLY 2

#define ABSENT 0
#define LEASED 1
#define OF_IMPORTS 2

/* WRITE: the row and `grantsAfter` as they were read, and up to where the row is to be claimed. REPLY: a worker ID is claimed. */
typedef Call {
  unsigned kind : 2;
  bit worker;
  unsigned row : 2;
  unsigned end : 4;
  unsigned mark : 4;
  unsigned grantsAfter : 4;
  unsigned until : 4;
  bit isUsed
};
Call call[CALLS];
/* The call that an importer waits for; CALLS: none. */
byte waitsFor[IMPORTERS] = CALLS;

/* `until` 0: no lease. */
typedef Holder {
  bit worker;
  unsigned from : 4;
  unsigned until : 4
};
Holder holder[HOLDERS];

/* ==== The claim ==== */

/* Which timestamps of a worker ID were ever granted, as bits. */
short claimed[WORKERS];
short leased[WORKERS];
#define BITS(above, upTo) ((2 << (upTo)) - (2 << (above)))

inline grant_claim(id, above, upTo) {
  assert(((claimed[id] | leased[id]) & BITS(above, upTo)) == 0);
  claimed[id] = claimed[id] | BITS(above, upTo)
}
inline grant_lease(id, above, upTo) {
  assert((claimed[id] & BITS(above, upTo)) == 0);
  leased[id] = leased[id] | BITS(above, upTo)
}

/* ==== The rules, and what becomes of each when a mutation takes it away ==== */

/* Claims of a worker ID only move forward. */
#ifdef SERVED_IGNORED
#define SERVED(end) 0
#else
#define SERVED(end) end
#endif
#define CLAIMED_FROM(c) (call[c].row == OF_IMPORTS -> SERVED(call[c].end) : 0)

/* A worker ID is reserved only if nobody has ever leased it. */
#ifdef OFFLINE_RESERVED
#define UNUSED(w) (!row[w].present || (!row[w].ofImports && row[w].reserved < now))
#else
#define UNUSED(w) (!row[w].present)
#endif

#define KIND(w) (row[w].present -> (row[w].ofImports -> OF_IMPORTS : LEASED) : ABSENT)
#define END(w) (row[w].ofImports -> row[w].served : row[w].reserved)

/* A write is refused if the row has changed since it was read. */
#ifdef ROW_NOT_COMPARED
#define ROW_AS_READ(c) (true)
#else
#define ROW_AS_READ(c) (KIND(call[c].worker) == call[c].row && END(call[c].worker) == call[c].end \
  && row[call[c].worker].mark == call[c].mark)
#endif

/* It is refused as well if the history has changed. */
#ifdef GRANTS_AFTER_NOT_COMPARED
#define HISTORY_AS_READ(c) (historyKnown)
#elif defined(HISTORY_IGNORED)
#define HISTORY_AS_READ(c) (grantsAfter == call[c].grantsAfter)
#else
#define HISTORY_AS_READ(c) (historyKnown && grantsAfter == call[c].grantsAfter)
#endif

#ifdef HISTORY_IGNORED
#define READY (now > grantsAfter)
#elif defined(CLAIM_BEFORE_GRANTS_AFTER)
#define READY (historyKnown)
#else
#define READY (historyKnown && now > grantsAfter)
#endif

/* Without an assertion, a claim needs an earlier one of this history. */
#ifdef ANY_HISTORY
#define OF_HISTORY(w) (row[w].ofImports)
#else
#define OF_HISTORY(w) (row[w].ofImports && row[w].mark == grantsAfter)
#endif

#ifdef DECLARED_FOREVER
#define DECLARED_AFTER_LOSS declaredNew
#else
#define DECLARED_AFTER_LOSS 0
#endif

/*
 * A reservation for imports ends above what they have claimed, so that no lease begins below it. That it never ends is more than safety
 * needs: a lease above the claims only ends the reservation, because the row is then no longer one of imports.
 */
#ifdef RESERVATION_ENDS_BELOW
#define RESERVATION_END 0
#elif defined(RESERVATION_ENDS)
#define RESERVATION_END until
#else
#define RESERVATION_END NEVER_ENDS
#endif
#define OFFLINE(w) (row[w].reserved < now)

/* An importer uses only the reply to the call that it waits for. */
#ifdef ANY_REPLY
#define IS_MINE(me, c) (waitsFor[me] != CALLS)
#else
#define IS_MINE(me, c) (waitsFor[me] == c)
#endif

#define CONTINUES(w, trusts, before) (row[w].ofImports && (trusts || OF_HISTORY(w)) && SERVED(row[w].served) < (before))
#define RESERVES(w, trusts) (UNUSED(w) && (trusts || OF_HISTORY(1 - w)))

/* Leases as in lease.pml. A row of imports has no holder. */
#define IS_HELD(id, h) (row[id].holder == (h) + 1 && row[id].from == holder[h].from)
#define RUNNING(id, reach) ((reach) >= now + MAX_SKEW \
  || (row[id].present && row[id].reserved > grantsAfter && row[id].reserved >= now))

/* ==== Steps ==== */

hidden byte i;

inline drop(c) {
  call[c].kind = NO_CALL; call[c].worker = 0; call[c].row = 0; call[c].end = 0; call[c].mark = 0;
  call[c].grantsAfter = 0; call[c].until = 0; call[c].isUsed = 0
}

/* Whoever waits for a call that is lost or refused stops waiting. */
inline forget_waiting(c) {
  i = 0;
  do
  :: i < IMPORTERS ->
    if
    :: waitsFor[i] == c -> waitsFor[i] = CALLS
    :: else
    fi;
    i++
  :: else -> break
  od
}

inline forget_lease(h) {
  holder[h].worker = 0; holder[h].from = 0; holder[h].until = 0
}

inline write_lease(id, h, above, upTo) {
  row[id].present = 1; row[id].ofImports = 0; row[id].served = 0; row[id].mark = 0;
  row[id].holder = h + 1; row[id].from = above; row[id].reserved = upTo
}

/* The part of backfillTransaction() that reads and decides. The importer asks for `first` to `until`, or up to `shift` later. */
proctype Importer(byte me) {
  byte c, w, first, until, shift;
  bit trusts;
  do
  :: atomic {
      waitsFor[me] == CALLS && READY && (call[0].kind == NO_CALL || call[CALLS - 1].kind == NO_CALL);
      c = (call[0].kind == NO_CALL -> 0 : CALLS - 1);
      if
      :: !lost -> trusts = 1
      :: trusts = declaredNew
      fi;
      select(w : 0 .. WORKERS - 1);
      select(first : 1 .. LAST_PAST);
      select(until : first .. LAST_PAST);
      select(shift : 0 .. 1);
      d_step {
        if
        :: CONTINUES(w, trusts, first + shift) || RESERVES(w, trusts) ->
          call[c].kind = WRITE;
          call[c].worker = w;
          call[c].row = KIND(w);
          call[c].end = END(w);
          call[c].mark = row[w].mark;
          call[c].grantsAfter = grantsAfter;
          call[c].until = until + max(0, CLAIMED_FROM(c) + 1 - first);
          waitsFor[me] = c;
          printf("t=%d  importer %d wants (%d, %d] of worker ID %d\n", now, me, CLAIMED_FROM(c), call[c].until, w)
        :: else
        fi;
        c = 0; w = 0; first = 0; until = 0; shift = 0; trusts = 0
      }
    }

  /* The reply arrives, and may arrive again. */
  :: atomic {
      if
      :: call[0].kind == REPLY && IS_MINE(me, 0) -> c = 0
      :: call[CALLS - 1].kind == REPLY && IS_MINE(me, CALLS - 1) -> c = CALLS - 1
      fi;
      assert(!call[c].isUsed);
      printf("t=%d  importer %d uses (%d, %d] of worker ID %d\n", now, me, CLAIMED_FROM(c), call[c].until, call[c].worker);
      waitsFor[me] = CALLS;
      if
      :: drop(c)
      :: call[c].isUsed = 1
      fi;
      c = 0
    }

  /* A crash, or a timeout. What was sent stays on its way. */
  :: atomic {
      waitsFor[me] != CALLS;
      waitsFor[me] = CALLS;
      printf("t=%d  importer %d waits no longer\n", now, me)
    }
  od
}

/* Executes writes, loses messages, and delivers a write twice. */
proctype Network() {
  byte c, w, from, until;
  do
  :: atomic {
      if
      :: call[0].kind == WRITE -> c = 0
      :: call[CALLS - 1].kind == WRITE -> c = CALLS - 1
      fi;
      if
      :: ROW_AS_READ(c) && HISTORY_AS_READ(c) ->
        w = call[c].worker;
        from = CLAIMED_FROM(c);
        until = call[c].until;
        grant_claim(w, from, until);
        d_step {
          row[w].present = 1; row[w].ofImports = 1; row[w].reserved = RESERVATION_END; row[w].holder = 0; row[w].from = 0;
          row[w].served = until; row[w].mark = grantsAfter;
          printf("t=%d  (%d, %d] of worker ID %d is claimed\n", now, from, until, w);
          w = 0; from = 0; until = 0
        };
        if
        :: call[c].kind = REPLY; call[c].mark = 0; call[c].grantsAfter = 0
        :: printf("t=%d  the reply is lost, and the write may arrive again\n", now)
        fi
      :: else -> drop(c); forget_waiting(c)
      fi;
      c = 0
    }
  :: atomic {
      if
      :: call[0].kind != NO_CALL -> c = 0
      :: call[CALLS - 1].kind != NO_CALL -> c = CALLS - 1
      fi;
      d_step { drop(c); forget_waiting(c); c = 0 }
    }
  od
}

/* BEGIN_HISTORY, with the assertions of an operator: that the namespace is new, or that no lease was lost. */
inline begin_history() {
  if
  :: !historyKnown ->
    grantsAfter = max(grantsAfter, now + WINDOW + MAX_SKEW);
    declaredNew = DECLARED_AFTER_LOSS;
    historyKnown = 1
  :: else
  fi;
  if
  :: !lost && grantsAfter >= now -> grantsAfter = now - 1
  :: !lost && grantsAfter >= now && !row[0].present && !row[1].present && claimed[0] + claimed[1] + leased[0] + leased[1] == 0 ->
    grantsAfter = now - 1; declaredNew = 1
  :: true
  fi
}

proctype HolderProcess(byte me) {
  byte w, begin, end;
  do
  :: atomic {
      holder[me].until == 0;
      begin_history();
      if
      :: now > grantsAfter ->
        select(w : 0 .. WORKERS - 1);
        if
        :: !row[w].present || OFFLINE(w) ->
          begin = max((row[w].present -> row[w].reserved : 0), grantsAfter);
          end = now + WINDOW;
          grant_lease(w, begin, end);
          write_lease(w, me, begin, end);
          printf("t=%d  worker ID %d is leased to holder %d for (%d, %d]\n", now, w, me, begin, end);
          if
          :: holder[me].worker = w; holder[me].from = begin; holder[me].until = end
          :: true
          fi
        :: else
        fi
      :: else
      fi;
      w = 0; begin = 0; end = 0
    }

  /* A renewal. An absent row is as good as an equal fencing token. */
  :: atomic {
      holder[me].until != 0;
      begin_history();
      w = holder[me].worker;
      begin = max((row[w].ofImports -> 0 : row[w].reserved), holder[me].until);
      if
      :: (!row[w].present || IS_HELD(w, me)) && RUNNING(w, begin) ->
        end = max(begin, now + WINDOW);
        grant_lease(w, begin, end);
        write_lease(w, me, holder[me].from, end);
        printf("t=%d  holder %d keeps worker ID %d until %d\n", now, me, w, end);
        if
        :: holder[me].until = end
        :: true
        fi
      :: else -> forget_lease(me)
      fi;
      w = 0; begin = 0; end = 0
    }

  /* A release, or a crash. */
  :: atomic {
      holder[me].until != 0;
      w = holder[me].worker;
      if
      :: IS_HELD(w, me) ->
        select(end : holder[me].from .. holder[me].until);
        row[w].reserved = end; row[w].holder = 0; row[w].from = 0;
        printf("t=%d  holder %d releases worker ID %d\n", now, me, w)
      :: true
      fi;
      forget_lease(me);
      w = 0; end = 0
    }
  od
}

inline copy_row(target, source) {
  target.present = source.present; target.ofImports = source.ofImports; target.reserved = source.reserved;
  target.holder = source.holder; target.from = source.from; target.served = source.served; target.mark = source.mark
}
inline clear_row(r) {
  r.present = 0; r.ofImports = 0; r.reserved = 0; r.holder = 0; r.from = 0; r.served = 0; r.mark = 0
}
#define IS_LOST(w) (row[w].present != replica[w].present || row[w].ofImports != replica[w].ofImports \
  || row[w].reserved != replica[w].reserved || row[w].holder != replica[w].holder || row[w].from != replica[w].from \
  || row[w].served != replica[w].served || row[w].mark != replica[w].mark)

proctype Server() {
  do
  :: atomic { now < LAST_NOW -> now++ }

  /* The replica has caught up, for the last time before the loss. */
  :: atomic {
      losses > 0 && !replicated;
      d_step {
        copy_row(replica[0], row[0]); copy_row(replica[1], row[1]);
        replicaGrantsAfter = grantsAfter;
        replicaDeclaredNew = declaredNew;
        replicated = 1;
        printf("t=%d  the replica has caught up\n", now)
      }
    }

  /* Failover to the replica or, when nothing was replicated, a wiped registry. */
  :: atomic {
      losses > 0;
      d_step {
        lost = lost || IS_LOST(0) || IS_LOST(1);
        copy_row(row[0], replica[0]); copy_row(row[1], replica[1]);
        clear_row(replica[0]); clear_row(replica[1]);
        grantsAfter = replicaGrantsAfter;
        declaredNew = replicaDeclaredNew;
        printf("t=%d  failover (replicated: %d)\n", now, replicated);
        historyKnown = 0;
        replicaGrantsAfter = 0; replicaDeclaredNew = 0; replicated = 0;
        losses--;
        leastNow = max(leastNow, (now > MAX_SKEW -> now - MAX_SKEW : 1))
      };
      do
      :: now > leastNow -> now--
      :: break
      od
    }
  od
}

init {
  atomic {
    if
    :: declaredNew = 1
    :: true
    fi;
    run Importer(0); run Importer(1);
    run HolderProcess(0);
#if HOLDERS == 2
    run HolderProcess(1);
#endif
    run Network();
    run Server()
  }
}
