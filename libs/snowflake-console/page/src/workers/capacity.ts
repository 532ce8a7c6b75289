import type { RegistryWatch } from '../../../src/api/console-api.js';

/** How many processes a namespace has, and how many more can start. */
export interface Capacity {
  readonly held: number;
  readonly offline: number;
  /** Worker IDs that a new process can get now: all but those that are held or unreadable. */
  readonly room: number;
  readonly total: number;
}

/** Returns the capacity of a namespace. An offline worker ID can be granted again; the omitted ones may be held. */
export function capacityOf({ workers, total, omitted = 0, unreadable = [] }: RegistryWatch): Capacity {
  const count = (state: string): number => workers.filter((row) => row.state === state).length;
  const held = count('held');
  const broken = unreadable.filter((field) => /^\d+$/.test(field)).length;
  return { held, offline: count('offline'), room: Math.max(0, total - held - broken - omitted), total };
}
