/* ==== The claim ==== */

/* What holders have issued who have meanwhile crashed or left, per worker ID: the set of timestamps, as bits. */
int leftBehind[WORKERS];
#define LEAVE_BEHIND(w, above, last) leftBehind[w] = (leftBehind[w] | ((2 << (last)) - (2 << (above))))
#define WAS_ISSUED(w, above, upTo) ((leftBehind[w] & ((2 << (upTo)) - (2 << (above)))) != 0)

#define OVERLAPS(h, other, above, upTo) ((other) != (h) \
  && holder[other].nonce != 0 && holder[other].worker == holder[h].worker \
  && max(above, ISSUES_ABOVE(other)) < (ISSUES_UP_TO(other) < (upTo) -> ISSUES_UP_TO(other) : (upTo)))

/*
 * Checked whenever a holder comes to hold timestamps `(above, upTo]`: nobody else may issue one of them, and nobody who
 * is gone has. It follows that nothing is issued twice: of two holders who issue the same timestamp, one came to hold
 * it after the other did, who then was still there or gone.
 */
inline check_alone(h, above, upTo) {
  assert((above) >= (upTo) || !WAS_ISSUED(holder[h].worker, above, upTo));
  i = 0;
  do
  :: i < HOLDERS -> assert(!OVERLAPS(h, i, above, upTo)); i++
  :: else -> break
  od
}
