/* ==== The rules, and what becomes of each when a mutation takes it away ==== */

#ifdef NO_TOKEN_CHECK
#define SAME_TOKEN(r, claim) (true)
#elif defined(TOKEN_WITHOUT_FROM)
#define SAME_TOKEN(r, claim) (r.nonce == claim.nonce)
#else
#define SAME_TOKEN(r, claim) (r.nonce == claim.nonce && r.from == claim.from)
#endif

#ifdef RELEASE_WITHOUT_TOKEN
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

/* A row that ends above `grantsAfter` is of this history, which is all there: it is the latest grant, and may be renewed. */
#ifdef ROW_OF_ANY_HISTORY
#define OF_THIS_HISTORY(w) (row[w].present && row[w].reserved >= now)
#else
#define OF_THIS_HISTORY(w) (row[w].present && row[w].reserved > grantsAfter && row[w].reserved >= now)
#endif
#define RUNNING(w, end) (NOT_EXPIRED(end, now) || OF_THIS_HISTORY(w))

/* A renewal never takes back what was given. */
#ifdef RENEWAL_SHRINKS
#define KEPT_UNTIL (now + WINDOW)
#else
#define KEPT_UNTIL max(reach, now + WINDOW)
#endif

#ifdef NO_GRANTS_AFTER
#define GRANTS_AFTER_LOSS 0
#else
#define GRANTS_AFTER_LOSS max(grantsAfter, now + WINDOW + MAX_SKEW)
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
#define GRANT_FROM(w) grantsAfter
#elif defined(GRANT_BELOW_GRANTS_AFTER)
#define GRANT_FROM(w) RESERVED(w)
#else
#define GRANT_FROM(w) max(RESERVED(w), grantsAfter)
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

