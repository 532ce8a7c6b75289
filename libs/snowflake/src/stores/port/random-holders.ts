import type { LeaseReply, LeaseRequest, LeaseStore } from '../../lease/lease-store.js';
import { renewalOf, requestOf, type StoreUnderTest } from './store-under-test.js';
import { WindowLedger } from './window-ledger.js';

type Grant = Extract<LeaseReply, { outcome: 'new' }> & { readonly nonce: string };

const WINDOWS_MS = [30, 60, 120];
const LONGEST_PAUSE_MS = 40;

/** A small generator of pseudo-random numbers (mulberry32, by Tommy Ettinger), so that a failure can be reproduced. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/**
 * Simulates holders that acquire, renew, repeat, release and forget at random.
 *
 * @returns a description of each overlap of two windows of one worker ID; empty if the store is correct
 */
export async function playRandomHolders(
  { store, letPass }: StoreUnderTest,
  seed: number,
  steps: number,
): Promise<string[]> {
  const random = randomNumbers(seed);
  const players = new Players(store, random);
  for (let step = 0; step < steps; step += 1) {
    await players.play(random(10));
    if (random(3) === 0) await letPass(1 + random(LONGEST_PAUSE_MS));
  }
  return players.ledger.overlaps();
}

class Players {
  readonly ledger = new WindowLedger();
  /** The leases that holders believe to have. Some stand here before a renewal as well as after it, as in a copied memory. */
  private readonly grants: Grant[] = [];
  private holders = 0;

  constructor(
    private readonly store: LeaseStore,
    private readonly random: (below: number) => number,
  ) {}

  /** Simulates one step of a random holder: 4 in 10 acquire, 4 in 10 renew, 1 repeats a call, 1 releases. */
  async play(action: number): Promise<void> {
    const index = this.random(this.grants.length || 1);
    const grant = this.grants[index];
    if (action < 4 || !grant) return this.acquire();
    if (action < 8) return this.renew(grant, index);
    if (action < 9) return this.repeat(grant);
    return this.release(grant);
  }

  private async acquire(): Promise<void> {
    await this.request(requestOf(this.nextHolder(), { windowMs: this.windowMs() }));
  }

  private async renew(grant: Grant, index: number): Promise<void> {
    const isCopied = this.random(4) === 0;
    const reply = await this.request(renewalOf(grant, this.nextHolder(), { windowMs: this.windowMs() }));
    if (reply.outcome !== 'kept') return;
    this.ledger.extend(grant.workerId, grant.fencingToken, reply);
    const { fencingToken, untilMs } = reply;
    this.grants[isCopied ? this.grants.length : index] = { ...grant, fencingToken, untilMs };
  }

  private async repeat({ nonce }: Grant): Promise<void> {
    await this.request(requestOf(0, { nonce, retry: true, windowMs: this.windowMs() }));
  }

  /** Half of the holders that leave have used only part of their window. */
  private async release({ workerId, fencingToken, fromMs, untilMs, storeNowMs }: Grant): Promise<void> {
    const lastUsedMs = this.random(2) === 0 ? Math.max(fromMs, Math.min(untilMs, storeNowMs)) : untilMs;
    const { outcome } = await this.store.release({ workerId, fencingToken, lastUsedMs });
    if (outcome === 'released') this.ledger.release(workerId, fencingToken, lastUsedMs);
  }

  private async request(request: LeaseRequest): Promise<LeaseReply> {
    const reply = await this.store.lease(request);
    if (reply.outcome !== 'new') return reply;
    this.ledger.grant(reply);
    this.grants.push({ ...reply, nonce: request.nonce });
    return reply;
  }

  private nextHolder(): number {
    this.holders += 1;
    return this.holders;
  }

  private windowMs(): number {
    return WINDOWS_MS[this.random(WINDOWS_MS.length)] ?? 60;
  }
}
