/*
 * The lease protocol as a Promela model, to be read beside the Lua of libs/snowflake/src/stores/redis/lease-script.ts
 * and release-script.ts, and beside libs/snowflake/src/lease/lease-steps.ts. `npm run model` checks it with spin.
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
 *   fresh or offline, so `fresh`, `preferLongestOffline` and the search seed have no part in safety.
 * - A reply is adopted in the step that executes the script, or never. A holder makes one call at a time, so while the
 *   reply is on its way all it can do is issue timestamps of the window it has, or crash, or release; the first has no
 *   effect on others, the other two drop the reply. The release that follows a switch may come late.
 * - A fencing token stays the same through renewals. In the library a renewal changes a part of it, by which the store refuses
 *   a second process with the same memory. It only refuses more, and a copied memory is no holder of this model.
 * - A call lost before its script ran changes nothing: a retry that finds no grant of its nonce is a first try.
 * - All holders have the same window (condition 2 of docs/explanation/safety.md) and layout. What a deposed
 *   master still does before it is fenced (condition 6) is part of the suffix that is lost.
 *
 * In reading order: state.pml (what is stored and known), rules.pml (each rule and its mutation), claim.pml (what is
 * asserted), scripts.pml (the Lua), settle.pml (one name for states that differ in names only), holders.pml (the
 * keeper), environment.pml (network, clock, losses). check.sh says in which scopes spin searches it.
 */

#include "state.pml"
#include "rules.pml"
#include "claim.pml"

/* Scratch within one deterministic step: written before it is read, so it is no part of the state. */
hidden byte i, j, reach, names, mine;
hidden byte renamed[16];

#include "scripts.pml"
#include "settle.pml"
#include "holders.pml"
#include "environment.pml"

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
