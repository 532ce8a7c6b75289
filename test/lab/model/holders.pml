/* ==== Holders: lease-steps.ts and lease-client.ts ==== */

/* LeaseClient.request. 15 is a name that nobody has: settle() gives each new nonce a smaller one. */
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
    printf("t=%d  holder %d renewed worker ID %d until %d\n", now, h, holder[h].worker, reply.until);
    if
    :: ask.from < holder[h].until -> ask.from = holder[h].until
    :: else
    fi;
    check_alone(h, ask.from, reply.until);
    holder[h].until = reply.until
  :: reply.outcome == NEW ->
    leave_lease(h);
    holder[h].worker = reply.worker;
    holder[h].nonce = reply.nonce;
    holder[h].from = reply.from;
    holder[h].until = reply.until;
    holder[h].next = 0;
    printf("t=%d  holder %d acquired worker ID %d for (%d, %d]\n", now, h, reply.worker, reply.from, reply.until);
    check_alone(h, ISSUES_ABOVE(h), ISSUES_UP_TO(h))
  :: else
  fi
}

/* A call that is stuck stays so for as long as spin likes. Its holder has timed out. */
inline get_stuck() {
  if
  :: stuck[0].kind == NO_CALL -> j = 0
  :: else -> j = SLOTS - 1
  fi;
  stuck[j].kind = ask.kind;
  stuck[j].worker = ask.worker;
  stuck[j].nonce = ask.nonce;
  stuck[j].from = ask.from;
  stuck[j].until = ask.until;
  stuck[j].next = ask.next;
  stuck[j].retry = ask.retry
}
#define MAY_GET_STUCK (COPIES > 0 && (stuck[0].kind == NO_CALL || stuck[SLOTS - 1].kind == NO_CALL))

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
  if
  :: LAST_USED > ask.from -> LEAVE_BEHIND(ask.worker, ask.from, LAST_USED)
  :: else
  fi
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
  :: holder[h].nonce != 0 && ISSUES_ABOVE(h) < ISSUES_UP_TO(h) ->
    LEAVE_BEHIND(holder[h].worker, ISSUES_ABOVE(h), ISSUES_UP_TO(h))
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

proctype HolderProcess(byte me) {
  do
  /* The steps `acquire` without a lease, `renew` with one. Whatever the reply says instead, it is taken. */
  :: atomic {
      choose_preferred();
      d_step { prepare(me, true); grant_or_renew() };
      if
      :: reply.outcome != REFUSED -> adopt(me)
      :: lose_reply(me)
      fi;
      settle()
    }

  /* The step `switchWorkerId`: another worker ID is acquired without showing the lease, adopted, and the old one released.
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
      MAY_GET_STUCK;
      if
      :: prepare(me, true)
      :: holder[me].nonce != 0 -> prepare(me, false)
      fi;
      d_step { get_stuck(); printf("t=%d  a call of holder %d is stuck\n", now, me) };
      settle()
    }

  /* The step `releaseLast`: the process stops. */
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
      late[me].outcome == NEW && !(late[me].nonce == holder[me].nonce && late[me].from == holder[me].from);
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

