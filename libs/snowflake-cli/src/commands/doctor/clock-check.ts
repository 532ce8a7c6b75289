import type { KeeperSettings } from 'nestjs-snowflake/internal/lease/lease-options';
import type { LeaseStore } from 'nestjs-snowflake/standalone';
import type { RegistrySnapshot } from 'nestjs-snowflake/store';
import { type Finding, finding } from './findings.js';

/** `lease.maxSkewMs` of an app that doesn't set it. */
const DEFAULT_MAX_SKEW_MS = 5000;

/** A reading of the registry, and the clock of this host around it. */
export interface Reading {
  readonly snapshot: RegistrySnapshot;
  readonly sentMs: number;
  readonly receivedMs: number;
}

/** Reads the registry twice, because connecting, which is part of the first reading, would distort the comparison of the clocks. */
export async function readTwice(store: LeaseStore, now: () => number): Promise<Reading> {
  await store.inspect();
  const sentMs = now();
  const snapshot = await store.inspect();
  return { snapshot, sentMs, receivedMs: now() };
}

/** Compares the clock of the store with the local time in the middle of the call (Cristian's algorithm, 1989). */
export function examineClock(
  { snapshot, sentMs, receivedMs }: Reading,
  settings?: Pick<KeeperSettings, 'maxSkewMs' | 'strictClock'>,
): Finding[] {
  const { maxSkewMs = DEFAULT_MAX_SKEW_MS, strictClock = false } = settings ?? {};
  const skewMs = Math.round(snapshot.storeNowMs - (sentMs + receivedMs) / 2);
  const uncertaintyMs = Math.ceil((receivedMs - sentMs) / 2);
  if (Math.abs(skewMs) <= maxSkewMs + uncertaintyMs) return [];
  const problem =
    `The clock of this host is ${Math.abs(skewMs)} ms ${skewMs > 0 ? 'behind' : 'ahead of'} that of the store, more than ` +
    `maxSkewMs (${maxSkewMs} ms)${strictClock ? ', and strictClock is true' : ''}.`;
  return [finding('CLOCK_DIFFERENCE', problem, { severity: strictClock ? 'error' : 'warning' })];
}
