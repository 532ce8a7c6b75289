import { durationText } from '../../messages/durations.js';
import { t } from '../../messages/messages.js';
import { NOTABLE_MS } from '../../workers/problems.js';

/** How far one clock is ahead of another, marked if that is more than a delay explains. */
export function ClockDifference({ aheadMs }: { aheadMs: number }) {
  const isNotable = Math.abs(aheadMs) >= NOTABLE_MS;
  return <span class={isNotable ? 'chip is-warning' : ''}>{differenceText(aheadMs)}</span>;
}

export function differenceText(aheadMs: number): string {
  const duration = durationText(aheadMs);
  return aheadMs === 0 ? duration : t(aheadMs > 0 ? 'clocks.ahead' : 'clocks.behind', { duration });
}
