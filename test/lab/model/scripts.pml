/* ==== lease-script.ts: `ask` in, `reply` out, all in one atomic step ==== */

inline grant_or_renew() {
  reply.outcome = REFUSED;

  /* BEGIN_HISTORY. Written together with whatever the reply is, `WAIT` and `FULL` included. */
  if
  :: !historyKnown -> grantsAfter = GRANTS_AFTER_LOSS; historyKnown = 1
  :: else
  fi;

  /* RENEW. An absent row is as good as an equal fencing token. */
  if
  :: ask.nonce != 0 ->
    reach = max(row[ask.worker].reserved, ask.until);
    if
    :: (!row[ask.worker].present || SAME_TOKEN(row[ask.worker], ask)) && RUNNING(ask.worker, reach) ->
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
    :: mine < WORKERS && RUNNING(mine, row[mine].reserved) ->
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
  :: reply.outcome == REFUSED && now > grantsAfter ->
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

/* Which free worker ID the search meets first is spin's choice. */
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

