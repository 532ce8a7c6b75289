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
#if COPIES == 0
#define SLOTS 1
#else
#define SLOTS COPIES
#endif
/* How often the server loses writes. */
#ifndef LOSSES
#define LOSSES 1
#endif

#define max(a, b) ((a) > (b) -> (a) : (b))

/* ==== What the server stores: the hash of one namespace ==== */

/* Field `<worker ID>`: "<reserved until> <nonce>@<from>". nonce 0: no fencing token, or one that nobody can show any more. */
typedef Row {
  unsigned present : 1;
  unsigned reserved : 4;
  unsigned nonce : 4;
  unsigned from : 4
};
Row row[WORKERS];
unsigned grantsAfter : 4;
/* Whether `historyId` is stored and is the server's: an empty registry has none. The model starts in a known one. */
unsigned historyKnown : 1 = 1;

/* What a lagging replica has, which is what a failover leaves. Nothing replicated: the registry is wiped. */
Row replica[WORKERS];
unsigned replicaGrantsAfter : 4;
unsigned replicated : 1;
unsigned losses : 2 = LOSSES;

/* Redis TIME, and its latest reading at which anything was granted. */
unsigned now : 4 = 1;
unsigned latestGrant : 4;
/* Condition 5 of docs/explanation/safety.md: after a loss the clock never reads less than this. */
unsigned leastNow : 4 = 1;

/* ==== What a holder knows: MachineState and LeaseClient ==== */

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
Call stuck[SLOTS];

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
/* The end of the window that a holder releases. */
unsigned windowEnd : 4;

