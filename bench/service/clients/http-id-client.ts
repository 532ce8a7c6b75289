import { Pool } from 'undici';
import { TOKEN } from '../endpoints.js';
import type { IdClient } from './id-client.js';

/** Requests IDs over HTTP, on connections that stay open. */
export class HttpIdClient implements IdClient {
  private readonly pool: Pool;

  constructor(url: string, connections: number) {
    this.pool = new Pool(url, { connections, pipelining: 1 });
  }

  async take(count: number): Promise<readonly string[]> {
    const { statusCode, body } = await this.pool.request({
      method: 'GET',
      path: count === 1 ? '/v1/ids' : `/v1/ids?count=${count}`,
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    const { ids } = (await body.json()) as { readonly ids?: readonly string[] };
    if (ids?.length !== count)
      throw new Error(`Status ${statusCode} with ${ids?.length} IDs instead of ${count}`);
    return ids;
  }

  close(): Promise<void> {
    return this.pool.close();
  }
}
