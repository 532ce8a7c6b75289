import { clientFor } from '../../../../libs/snowflake/src/stores/sql/clients/sql-client.js';
import type { DatabaseOptions } from '../../../../libs/snowflake/src/stores/sql/database-options.js';
import { waitFor } from '../../../support/wait.js';
import { Pooler } from './pooler.js';

const WITHIN_MS = 20_000;
/** Longer than the test: no bound of the driver itself may free a call. */
const CONNECT_TIMEOUT_MS = 600_000;

type Frozen = 'while it connects' | 'within a statement';

/** The moments at which a network can become silent. */
export const FROZEN_MOMENTS: readonly Frozen[] = ['while it connects', 'within a statement'];

/**
 * Makes a connection through a network that becomes silent, destroys it, and waits until its socket is closed. Returns how the
 * call ended that hung.
 */
export async function destroyFrozen(
  options: DatabaseOptions & { readonly url: string },
  moment: Frozen,
): Promise<unknown> {
  const url = new URL(options.url);
  const network = await Pooler.start(Number(url.port));
  url.port = String(network.port);
  const settings = { connectionName: 'frozen', connectTimeoutMs: CONNECT_TIMEOUT_MS };
  const client = clientFor({ ...settings, options: { ...options, url: url.href } });
  const failure = (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => undefined,
      (error) => error,
    );
  try {
    if (moment === 'within a statement') await client.connect();
    network.holdEverything();
    const call = moment === 'within a statement' ? client.query('SELECT 1', []) : client.connect();
    const failed = failure(call);
    await waitFor('a connection', WITHIN_MS, () => network.openConnections === 1);
    client.destroy();
    await waitFor('the socket to close', WITHIN_MS, () => network.openConnections === 0);
    return await failed;
  } finally {
    client.destroy();
    await network.close();
  }
}
