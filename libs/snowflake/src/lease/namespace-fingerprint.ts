import type { BitLayout } from '../core/layout/bit-layout.js';

/** The worker IDs that a namespace leases. */
export interface WorkerRange {
  readonly first: number;
  readonly count: number;
}

const PROTOCOL_VERSION = 2;
const WORKER_RANGE = /workers=(\d+)\+(\d+)$/;

/** Returns what all holders of a namespace must agree on. The store keeps it, and refuses holders with another one. */
export function namespaceFingerprint(layout: BitLayout, { first, count }: WorkerRange): string {
  return `v${PROTOCOL_VERSION} ${layout.fingerprint} workers=${first}+${count}`;
}

/** Reads the worker IDs from the fingerprint of a namespace. */
export function workerRangeOf(fingerprint = ''): WorkerRange | undefined {
  const [, first, count] = WORKER_RANGE.exec(fingerprint) ?? [];
  return first === undefined ? undefined : { first: Number(first), count: Number(count) };
}

/** Returns whether a namespace, by its stored fingerprint, has this layout. */
export function hasLayout(fingerprint: string | undefined, layout: BitLayout): boolean {
  return fingerprint?.replace(/^v\d+ | workers=\S*$/g, '') === layout.fingerprint;
}
