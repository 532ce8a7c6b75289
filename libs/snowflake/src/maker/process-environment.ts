import { hostname } from 'node:os';
import { isMainThread, threadId } from 'node:worker_threads';
import type { Clock } from '../core/clock/clock.js';
import type { KeeperEnvironment } from '../lease/lease-options.js';
import { freshNonce } from './fresh-nonce.js';

/** Keeps the end of a long host name, which is its most specific part. A store keeps 64 characters of the whole name. */
const HOST_LENGTH = 40;

/** Returns randomness and name of the running process. */
export function processEnvironment(clock: Clock, holderName?: string): KeeperEnvironment {
  return {
    clock,
    random: () => Math.random(),
    nonce: freshNonce,
    holderName: holderName ?? ownName(),
    nodeEnv: () => process.env.NODE_ENV,
  };
}

/** Returns a name that no other thread has: each thread of a process holds its own lease. */
function ownName(): string {
  const processName = `${hostname().slice(-HOST_LENGTH)}/${process.pid}`;
  return isMainThread ? processName : `${processName}/thread-${threadId}`;
}
