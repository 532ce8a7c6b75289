/* ==== The network: executes stuck calls. Nobody waits for the replies ==== */

proctype Network() {
  byte copy;
  do
  :: atomic {
      if
      :: stuck[0].kind != NO_CALL -> copy = 0
      :: SLOTS > 1 && stuck[SLOTS - 1].kind != NO_CALL -> copy = SLOTS - 1
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
        replicaGrantsAfter = grantsAfter;
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
        grantsAfter = replicaGrantsAfter;
#ifdef NO_HISTORY
        historyKnown = replicated;
#else
        historyKnown = 0;
#endif
        replicaGrantsAfter = 0;
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

