import { DEFAULT_INSTANCE } from '../../core/ids/id-source-name.js';
import { InvalidOptionError } from '../../core/errors/input-errors.js';
import type { IdSource } from '../../core/ids/id-source.js';

/** One source for all columns, or one per name used in `@SnowflakeId({ instance: name })`. */
export type SnowflakeIdSources = IdSource | Readonly<Record<string, IdSource>>;

/**
 * Returns the sources by name. A single source serves the columns that name no instance.
 *
 * @throws InvalidOptionError
 */
export function sourcesByName(ids: SnowflakeIdSources): Map<string, IdSource> {
  const named = isSource(ids) ? { [DEFAULT_INSTANCE]: ids } : ids;
  const sources = new Map<string, IdSource>(Object.entries(named ?? {}));
  if (sources.size === 0) throw noSource('ids', ids);
  for (const [name, source] of sources) {
    if (!isSource(source)) throw noSource(`ids.${name}`, source);
  }
  return sources;
}

function isSource(candidate: unknown): candidate is IdSource {
  return (
    typeof candidate === 'object' &&
    candidate !== null &&
    'nextId' in candidate &&
    typeof candidate.nextId === 'function'
  );
}

function noSource(option: string, value: unknown): InvalidOptionError {
  return new InvalidOptionError(
    option,
    value,
    "can't generate IDs",
    'Pass a SnowflakeIdMaker, or an object with one per instance: { default: ids, audit: auditIds }.',
  );
}
