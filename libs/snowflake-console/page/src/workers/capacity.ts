import type { RegistryWatch } from '../../../src/api/console-api.js';
import { isReplaced } from './cells.js';

/** How many processes a namespace has, and how many more can start. */
export interface Capacity {
  readonly held: number;
  readonly offline: number;
  /** Worker IDs that are kept for imports. */
  readonly reserved: number;
  /** Worker IDs that a new process can get now: all but those that are held, reserved or unreadable. */
  readonly room: number;
  readonly total: number;
}

/** Returns the capacity of a namespace. An offline worker ID can be granted again; the omitted ones may be held. */
export function capacityOf(registry: RegistryWatch): Capacity {
  const { workers, total, omitted = 0, unreadable = [] } = registry;
  const present = workers.filter((row) => !isReplaced(registry, row));
  const count = (state: string): number => present.filter((row) => row.state === state).length;
  const [held, reserved] = [count('held'), count('reserved')];
  const broken = unreadable.filter((field) => /^\d+$/.test(field)).length;
  const room = Math.max(0, total - held - reserved - broken - omitted);
  return { held, offline: count('offline'), reserved, room, total };
}
