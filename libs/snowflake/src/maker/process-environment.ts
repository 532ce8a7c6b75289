import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock } from '../core/index.js';
import type { KeeperEnvironment } from '../lease/index.js';

const NONCE_BYTES = 8;

/** Randomness and name of the running process. */
export function processEnvironment(clock: Clock, holderName?: string): KeeperEnvironment {
  return {
    clock,
    random: () => Math.random(),
    // Asked of the operating system at each call: a forked or restored process does not repeat its parent's.
    nonce: () => randomBytes(NONCE_BYTES).toString('hex'),
    holderName: holderName ?? `${hostname()}/${process.pid}`,
  };
}
