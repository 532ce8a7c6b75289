import { StoreRejectedError } from '../../../core/errors/lease-errors.js';
import type { LossySetting, SqlDialect } from '../dialects/dialect.js';
import { isUnsupported } from '../errors.js';
import type { Statements } from '../statements.js';

/**
 * Returns the settings with which a crash can undo commits; none if the server does not show its settings, or says that it commits
 * to a storage service.
 */
export async function lossySettingsOf(
  dialect: Pick<SqlDialect, 'lossySettings'>,
  { query }: Pick<Statements, 'query'>,
): Promise<readonly LossySetting[]> {
  if (!dialect.lossySettings) return [];
  try {
    const settings = dialect.lossySettings.read(await query(dialect.lossySettings.statement));
    return settings.filter(({ isReplaced }) => !isReplaced);
  } catch (error) {
    if (isUnsupported(error)) return [];
    throw error;
  }
}

/** Describes the settings, as the beginning of a sentence. */
export function showLossy(settings: readonly LossySetting[]): string {
  const shown = settings.map(({ name, value }) => `${name} is ${value}`).join(' and ');
  return `${shown}, so a crash of the server can undo acknowledged commits`;
}

/** Says how to set them instead. */
export function showDurable(settings: readonly LossySetting[]): string {
  return `Set ${settings.map(({ name, durable }) => `${name} = ${durable}`).join(' and ')} on the server`;
}

/**
 * Refuses the assertion that the server loses no commit if its settings refute it.
 *
 * @param store the store's description
 * @throws StoreRejectedError that names each setting, its value and the remedy
 */
export async function requireDurableCommits(
  dialect: SqlDialect,
  statements: Pick<Statements, 'query'>,
  store: string,
): Promise<void> {
  const settings = await lossySettingsOf(dialect, statements);
  if (settings.length === 0) return;
  throw new StoreRejectedError(
    `${store} can't assume that no write is lost (assumeNoLostWrites: true): ${showLossy(settings)}. ` +
      `${showDurable(settings)}, or remove assumeNoLostWrites: the store then detects a loss by the history of the server.`,
  );
}
