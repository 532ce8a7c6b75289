import { clientFor } from '../../../../libs/snowflake/src/kit/sql/clients/sql-client.js';
import type { DatabaseOptions } from '../../../../libs/snowflake/src/kit/sql/database/database-options.js';
import { waitFor } from '../../../support/wait.js';
import { Pooler } from './pooler.js';

/** Less than the 10 s after which MariaDB itself ends a connection that sends nothing. */
const TIMEOUT_MS = 6_500;
/** No bound of the driver itself may free a call. */
const CONNECT_TIMEOUT_MS = 600_000;

type Moment = 'while it connects' | 'in the TLS handshake' | 'within a statement';

/** The moments at which a network can become silent. */
export const MOMENTS = ['while it connects', 'within a statement'] as const satisfies Moment[];
export const TLS_MOMENTS = [...MOMENTS, 'in the TLS handshake'] as const satisfies Moment[];

/**
 * Makes a connection through a network that becomes silent, destroys it, and waits until its socket is closed. Returns how the
 * call ended that hung.
 */
export async function destroyFrozen(
  options: DatabaseOptions & { readonly url: string },
  moment: Moment,
): Promise<unknown> {
  const url = new URL(options.url);
  const network = await Pooler.start(Number(url.port));
  url.port = String(network.port);
  const settings = { connectionName: 'frozen', connectTimeoutMs: CONNECT_TIMEOUT_MS };
  const client = clientFor({ ...settings, options: { ...options, url: url.href } });
  const isConnected = moment === 'within a statement';
  try {
    if (isConnected) await client.connect();
    if (moment === 'in the TLS handshake') network.holdTls();
    else network.holdEverything();
    const ended = (isConnected ? client.query('SELECT 1', []) : client.connect()).catch(
      (error: unknown) => error,
    );
    await waitFor('the silence', TIMEOUT_MS, () => network.held > 0);
    client.destroy();
    await waitFor('the socket to close', TIMEOUT_MS, () => network.openConnections === 0);
    return await ended;
  } finally {
    client.destroy();
    await network.close();
  }
}
