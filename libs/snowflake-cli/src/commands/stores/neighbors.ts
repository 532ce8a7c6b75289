import { editsBetween } from 'nestjs-snowflake/internal/core/options/nearest-name';
import { isSpaceName } from 'nestjs-snowflake/internal/core/options/space-name';
import { StoreRejectedError } from 'nestjs-snowflake/standalone';
import { withNote } from '../../frame/slow-note.js';
import { namespacesInSql } from './namespaces-in-sql.js';
import { connectingTo, resolvedSql, type StorePurpose } from './make-store.js';
import { namespacesInRedis } from './namespaces-in-redis.js';
import type { StoreSource } from './store-source.js';

/** A namespace, and the others on its server. */
export interface Neighbors {
  readonly namespace: string;
  /** Whether anything is stored of the namespace itself. */
  readonly isStored: boolean;
  /** The names of the others, the most similar one first. */
  readonly others: readonly string[];
  /** The one of which the namespace may be a misspelling. */
  readonly nearest?: string;
}

/** Names that differ by at most so many typing errors are probably meant to be equal. */
const MISSPELLED_WITHIN = 2;
const MOST_SHOWN = 10;

/**
 * Lists the other namespaces on the server of a store; `undefined` if the server does not show them. A command never fails because
 * of them.
 */
export async function neighborsOf(
  source: StoreSource,
  purpose: StorePurpose,
): Promise<Neighbors | undefined> {
  if (source.kind !== 'redis' && source.kind !== 'sql') return undefined;
  try {
    const { terminal, timeoutMs } = purpose;
    const all = withNote(terminal, connectingTo(source), namespacesIn(source, purpose), timeoutMs);
    return comparedNeighbors(source.options.namespace, await all);
  } catch {
    return undefined;
  }
}

/** Compares a namespace with all namespaces of its server. */
export function comparedNeighbors(namespace: string, all: readonly string[]): Neighbors {
  const byEdits = all
    .filter((name) => name !== namespace && isSpaceName(name))
    .map((name) => ({ name, edits: editsBetween(namespace.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits);
  const nearest = byEdits.find(({ edits }) => edits <= MISSPELLED_WITHIN)?.name;
  return { namespace, isStored: all.includes(namespace), others: byEdits.map(({ name }) => name), nearest };
}

/** Names the others, as full sentences; empty if there are none, or if the server doesn't show them. */
export function neighborsText(neighbors: Neighbors | undefined): string {
  if (!neighbors || neighbors.others.length === 0) return '';
  const { namespace, others, nearest } = neighbors;
  const more = others.length > MOST_SHOWN ? ` and ${others.length - MOST_SHOWN} more` : '';
  const also = `This server also has: ${others.slice(0, MOST_SHOWN).join(', ')}${more}.`;
  return nearest === undefined ? also : `${also} Is ${namespace} a misspelling of ${nearest}?`;
}

async function namespacesIn(
  source: Extract<StoreSource, { kind: 'redis' | 'sql' }>,
  purpose: StorePurpose,
): Promise<readonly string[]> {
  if (source.kind === 'redis') return namespacesInRedis(source.options, purpose);
  try {
    const { dataSource, tableName } = await resolvedSql(source.options, { ...purpose, createTable: false });
    return await namespacesInSql(dataSource, tableName, purpose.timeoutMs);
  } catch (error) {
    // The file of a SQLite database is missing.
    if (error instanceof StoreRejectedError) return [];
    throw error;
  }
}
