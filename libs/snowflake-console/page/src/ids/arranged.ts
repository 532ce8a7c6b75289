import type { Reading } from './reading.js';

export const COLUMNS = [
  'position',
  'key',
  'id',
  'time',
  'datacenter',
  'worker',
  'sequence',
  'holder',
] as const;
export type Column = (typeof COLUMNS)[number];

export interface Arrangement {
  readonly column: Column;
  readonly isDescending: boolean;
  /** Part of the ID, its text, its name, its time or its holder, or `worker:17`. Empty shows all. */
  readonly filter: string;
  readonly onlyWarnings: boolean;
  /** Only IDs with times from here on. */
  readonly fromMs?: number;
  /** Only IDs with times before. */
  readonly toMs?: number;
}

export const AS_PASTED: Arrangement = {
  column: 'position',
  isDescending: false,
  filter: '',
  onlyWarnings: false,
};

/** What the table shows of an ID besides its fields. */
export interface Shown {
  /** The texts that the filter searches for the time. */
  readonly timesOf: (timeMs: number) => string;
  /** The process that made it, if that is known. */
  readonly holderOf: (reading: Reading) => string | undefined;
}

const NOTHING_MORE: Shown = { timesOf: () => '', holderOf: () => undefined };

/** Returns the readings that pass the filter, in the order asked for. IDs that the layout can't read come last. */
export function arranged(
  readings: readonly Reading[],
  arrangement: Arrangement,
  shown: Shown = NOTHING_MORE,
): Reading[] {
  const { column } = arrangement;
  const direction = arrangement.isDescending ? -1 : 1;
  const passing = readings.filter(filterOf(arrangement, shown));
  if (column === 'position') return arrangement.isDescending ? passing.reverse() : passing;
  if (column === 'id') return passing.sort((a, b) => compareIds(a, b) * direction);
  const textOf = column === 'key' ? ({ key }: Reading) => key : shown.holderOf;
  if (column === 'key' || column === 'holder') {
    const texts = new Map(passing.map((reading) => [reading, textOf(reading) ?? '']));
    return passing.sort((a, b) => compareTexts(texts.get(a) ?? '', texts.get(b) ?? '') * direction);
  }
  return passing.sort((a, b) => {
    if (!a.fields !== !b.fields) return a.fields ? -1 : 1;
    const [left, right] = [valueOf(a, column), valueOf(b, column)];
    return (left - right) * direction || (a.position - b.position) * direction;
  });
}

function filterOf(arrangement: Arrangement, shown: Shown): (reading: Reading) => boolean {
  const { filter, onlyWarnings, fromMs, toMs } = arrangement;
  const wanted = filter.trim().toLowerCase();
  const worker = /^worker:\s*(\d+)$/.exec(wanted)?.[1];
  return (reading) => {
    const { fields, warnings } = reading;
    if (onlyWarnings && warnings.length === 0) return false;
    if (!isWithin(fields?.timestampMs, fromMs, toMs)) return false;
    if (worker !== undefined) return fields?.workerId === Number(worker);
    return wanted === '' || textsOf(reading, shown).some((text) => text.toLowerCase().includes(wanted));
  };
}

function isWithin(timeMs: number | undefined, fromMs = -Infinity, toMs = Infinity): boolean {
  if (fromMs === -Infinity && toMs === Infinity) return true;
  return timeMs !== undefined && timeMs >= fromMs && timeMs < toMs;
}

function textsOf(reading: Reading, { timesOf, holderOf }: Shown): readonly string[] {
  const { id, text, key = '', fields } = reading;
  return [id, text, key, holderOf(reading) ?? '', fields ? timesOf(fields.timestampMs) : ''];
}

/** Texts that are missing come last. */
function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  if (a === '' || b === '') return a === '' ? 1 : -1;
  return a < b ? -1 : 1;
}

/** Compares as texts if both numbers have the same number of digits. Only negative and overlong ones need more. */
function compareIds(a: Reading, b: Reading): number {
  if (a.id === b.id) return a.position - b.position;
  if (a.id.length === b.id.length && !a.id.startsWith('-') && !b.id.startsWith('-'))
    return a.id < b.id ? -1 : 1;
  return BigInt(a.id) < BigInt(b.id) ? -1 : 1;
}

function valueOf({ fields }: Reading, column: 'time' | 'datacenter' | 'worker' | 'sequence'): number {
  switch (column) {
    case 'time':
      return fields?.timestampMs ?? 0;
    case 'worker':
      return fields?.workerId ?? 0;
    case 'datacenter':
      return fields?.datacenterId ?? 0;
    case 'sequence':
      return fields?.sequence ?? 0;
  }
}
