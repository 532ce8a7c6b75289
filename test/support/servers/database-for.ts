export type DatabaseKind = 'postgres' | 'mariadb';

export const databaseProviderVariable = 'SNOWFLAKE_TEST_DATABASE_PROVIDER';

const ANSWER_WITHIN_MS = 170_000;

/**
 * Makes a fresh, empty database in the server of that kind which the whole test run shares, and returns its URL
 * (`postgres://…` or `mariadb://…`). The first call of a run starts the server, in about a second.
 */
export async function databaseFor(kind: DatabaseKind, testName: string): Promise<string> {
  const provider = process.env[databaseProviderVariable];
  if (provider === undefined)
    throw new Error('databaseFor() works only in a Jest run: its global set-up starts the servers');
  const response = await fetch(`${provider}/${kind}?for=${encodeURIComponent(testName)}`, {
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`No ${kind} database for ${testName}: ${answer}`);
  return answer;
}
