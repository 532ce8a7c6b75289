import type { StoreSource } from './store-source.js';

/** Returns the same store without the settings that only leases need: reading needs no replicas and creates no tables. */
export function readable(source: StoreSource): StoreSource {
  if (source.kind === 'redis')
    return { kind: 'redis', options: { ...source.options, minReplicas: undefined } };
  if (source.kind === 'sql') return { ...source, options: { ...source.options, createTable: false } };
  return source;
}
