import { signal } from '@preact/signals';
import { timeOfId } from '../ids/time-of-id.js';
import { takeChoice, takeText } from '../state/parameters.js';
import type { Parameters } from '../state/route.js';
import { layout } from '../state/settings.js';
import { localOffset, type Moment, momentOf, noOffset, type OffsetAt } from '../time/local-input.js';
import { instantIn } from '../time/instant.js';
import { presetRange } from '../time/range-presets.js';
import { type Dialect, DIALECTS } from '../time/range-sql.js';

const CLOCKS = ['local', 'utc'] as const;
export type Clock = (typeof CLOCKS)[number];

/** Whether times are entered as the viewer's zone has them, or in UTC. */
export const clock = signal<Clock>('local');
const [firstMs, lastMs] = presetRange('lastHour', Date.now(), localOffset);
export const from = signal<Moment>(momentOf(firstMs));
export const to = signal<Moment>(momentOf(lastMs));
export const column = signal('id');
export const dialect = signal<Dialect>('standard');
export const firstId = signal('');
export const lastId = signal('');

export function offsetOf(chosen: Clock): OffsetAt {
  return chosen === 'utc' ? noOffset : localOffset;
}

/** Shows the times in another zone, without changing the instants. */
export function chooseClock(chosen: Clock): void {
  clock.value = chosen;
  for (const moment of [from, to]) {
    if (moment.value.ms !== undefined) moment.value = momentOf(moment.value.ms, offsetOf(chosen));
  }
}

export function timeParameters(): Parameters {
  return {
    from: instantParameter(from.value),
    to: instantParameter(to.value),
    clock: clock.value,
    column: column.value,
    dialect: dialect.value,
    first: idParameter(firstId.value),
    last: idParameter(lastId.value),
  };
}

/** Keeps only IDs in the address, because a paste can contain anything. */
function idParameter(text: string): string {
  return timeOfId(text, layout.value).problem ? '' : text;
}

export function openTimes(parameters: URLSearchParams): void {
  takeChoice(parameters, 'clock', CLOCKS, clock);
  takeMoment(parameters, 'from', from, offsetOf(clock.value));
  takeMoment(parameters, 'to', to, offsetOf(clock.value));
  takeText(parameters, 'column', column);
  takeChoice(parameters, 'dialect', DIALECTS, dialect);
  takeText(parameters, 'first', firstId);
  takeText(parameters, 'last', lastId);
}

/** An address holds instants, which mean the same in every zone. */
export function instantParameter({ ms }: Moment): string {
  return ms === undefined ? '' : new Date(ms).toISOString();
}

export function takeMoment(
  parameters: URLSearchParams,
  name: string,
  into: typeof from,
  offsetAt: OffsetAt = localOffset,
): void {
  const text = parameters.get(name);
  if (text === null) return;
  const ms = instantIn(text);
  into.value = ms === undefined ? { text: '' } : momentOf(ms, offsetAt);
}
