import { InvalidOptionError } from '../errors/input-errors.js';
import type { BitLayout } from './bit-layout.js';

/** Returns whether a layout can issue IDs at `nowMs`. True for a clock that fails, because others report that. */
export function isUsableAt({ epochMs, expiresAt }: BitLayout, nowMs: number): boolean {
  return !(epochMs > nowMs || expiresAt.getTime() < nowMs);
}

/**
 * Throws unless a layout can issue IDs at `nowMs`.
 *
 * @param clock names the clock that was read, because it can be wrong
 * @throws InvalidOptionError if the epoch is later than `nowMs`, or the timestamp field ended before it
 */
export function requireUsableAt(layout: BitLayout, nowMs: number, clock: string): void {
  if (isUsableAt(layout, nowMs)) return;
  const { epochMs, expiresAt } = layout;
  const epoch = new Date(epochMs);
  const reading = `${clock} reads ${asInstant(nowMs)}`;
  const repair = "If this clock is wrong, fix its host's time service and keep the epoch.";
  if (epochMs > nowMs) {
    throw new InvalidOptionError(
      'epoch',
      epoch,
      `is in the future: ${reading}`,
      `${repair} Otherwise use an instant before the first ID, such as the day the project began, and never change it later.`,
    );
  }
  const { bits } = layout.field('timestamp');
  throw new InvalidOptionError(
    'epoch',
    epoch,
    `is too early: its ${bits} timestamp bits ended at ${expiresAt.toISOString()}, and ${reading}`,
    `${repair} Otherwise use a later epoch or more timestamp bits, in a new namespace.`,
  );
}

function asInstant(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? `${ms} ms of Unix time` : date.toISOString();
}
