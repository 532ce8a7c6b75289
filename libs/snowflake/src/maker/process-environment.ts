import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { isMainThread, threadId } from 'node:worker_threads';
import type { Clock } from '../core/index.js';
import type { KeeperEnvironment } from '../lease/index.js';

const NONCE_BYTES = 8;

/** Of a long host name the end tells most, and a store keeps 64 characters of the whole. */
const HOST_LENGTH = 40;

/** Randomness and name of the running process. */
export function processEnvironment(clock: Clock, holderName?: string): KeeperEnvironment {
  return {
    clock,
    random: () => Math.random(),
    // Asked of the operating system at each call: a forked or restored process does not repeat its parent's.
    nonce: () => randomBytes(NONCE_BYTES).toString('hex'),
    holderName: holderName ?? ownName(),
  };
}

/** Tells this thread from all others: the threads of a process hold leases of their own. */
function ownName(): string {
  const processName = `${hostname().slice(-HOST_LENGTH)}/${process.pid}`;
  return isMainThread ? processName : `${processName}/thread-${threadId}`;
}
