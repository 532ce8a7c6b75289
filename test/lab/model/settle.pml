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
  :: j >= WORKERS && j < WORKERS + SLOTS && stuck[j - WORKERS].next == holder[h].next -> break
  :: j == WORKERS + SLOTS -> holder[h].next = 0; break
  :: else -> j++
  od
}

/*
 * Ends every step: clears the scratch call and reply and names nonces in order of appearance (they are only ever
 * compared for equality; one that nobody can show any more is none).
 */
inline settle() {
  d_step {
    ask.kind = 0; ask.worker = 0; ask.nonce = 0; ask.from = 0; ask.until = 0; ask.next = 0; ask.retry = 0;
    reply.outcome = 0; reply.worker = 0; reply.nonce = 0; reply.from = 0; reply.until = 0;
    preferred = 0;
    windowEnd = 0;
    i = 0;
    do
    :: i < HOLDERS -> forget_unused_next(i); i++
    :: else -> break
    od;
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
    :: i < SLOTS -> see(stuck[i].nonce); see(stuck[i].next); i++
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
    i = 0
  }
}

