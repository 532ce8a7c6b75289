import type { Reading } from './reading.js';

export const COLUMNS = ['position', 'id', 'time', 'datacenter', 'worker', 'sequence'] as const;
export type Column = (typeof COLUMNS)[number];

export interface Arrangement {
  readonly column: Column;
  readonly isDescending: boolean;
  /** Part of the ID or of the text, or `worker:17`. Empty shows all. */
  readonly filter: string;
  readonly onlyWarnings: boolean;
}

export const AS_PASTED: Arrangement = {
  column: 'position',
  isDescending: false,
  filter: '',
  onlyWarnings: false,
};

/** Returns the readings that pass the filter, in the order asked for. IDs that the layout can't read come last. */
export function arranged(readings: readonly Reading[], arrangement: Arrangement): Reading[] {
  const { column } = arrangement;
  const direction = arrangement.isDescending ? -1 : 1;
  const passing = readings.filter(filterOf(arrangement));
  if (column === 'position') return arrangement.isDescending ? passing.reverse() : passing;
  if (column === 'id') return passing.sort((a, b) => compareIds(a, b) * direction);
  return passing.sort((a, b) => {
    if (!a.fields !== !b.fields) return a.fields ? -1 : 1;
    const [left, right] = [valueOf(a, column), valueOf(b, column)];
    return (left - right) * direction || (a.position - b.position) * direction;
  });
}

function filterOf({ filter, onlyWarnings }: Arrangement): (reading: Reading) => boolean {
  const wanted = filter.trim().toLowerCase();
  const worker = /^worker:\s*(\d+)$/.exec(wanted)?.[1];
  if (wanted === '' && !onlyWarnings) return () => true;
  return ({ id, text, fields, warnings }) => {
    if (onlyWarnings && warnings.length === 0) return false;
    if (worker !== undefined) return fields?.workerId === Number(worker);
    return id.includes(wanted) || text.toLowerCase().includes(wanted);
  };
}

/** Compares as texts if both numbers have the same number of digits. Only negative and overlong ones need more. */
function compareIds(a: Reading, b: Reading): number {
  if (a.id === b.id) return a.position - b.position;
  if (a.id.length === b.id.length && !a.id.startsWith('-') && !b.id.startsWith('-'))
    return a.id < b.id ? -1 : 1;
  return BigInt(a.id) < BigInt(b.id) ? -1 : 1;
}

function valueOf({ fields }: Reading, column: Exclude<Column, 'position' | 'id'>): number {
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
