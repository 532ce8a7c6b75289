import type { OpenAPIObject } from '@nestjs/swagger';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { BitLayout, IdDecoder } from 'nestjs-snowflake/core';
import { remoteLeaseStore } from 'nestjs-snowflake/remote';
import { Segments } from 'nestjs-snowflake-segments';
import { remoteSegmentStore } from 'nestjs-snowflake-segments/remote';
import { SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import { type RedisServer, startRedis } from '../../../test/support/servers/index.js';
import { waitFor } from '../../../test/support/wait.js';
import { startedApp } from '../../shared/test/support/started-app.js';
import { describedVariables } from '../../shared/src/environment/variables.js';
import { Environment } from '../src/config/environment.js';
import { ask, ServiceFolder, ServiceProcess, TOKEN } from './support/service-process.js';

type OperationObject = NonNullable<OpenAPIObject['paths'][string]['get']>;

const decoder = new IdDecoder(new BitLayout());
const SEEN_WITHIN_MS = 20_000;

interface Ids {
  readonly ids: readonly string[];
}

interface Registry {
  readonly rows: readonly { readonly workerId: number; readonly fencingToken: string }[];
}

/** One process serves all tests. */
describe('the ID service without any setting', () => {
  const folder = new ServiceFolder();
  afterAll(() => folder.remove());
  const service = startedApp(() => ServiceProcess.spawn({}, folder.path));

  it('issues and decodes IDs with the token that it has written for its owner only', async () => {
    expect(statSync(join(folder.path, 'data', 'tokens.json')).mode & 0o777).toBe(0o600);
    expect(service().output).not.toContain(folder.firstToken);
    // The output is no terminal, so it has no colors.
    expect(service().output).not.toContain('\u001b');
    const { body } = await ask<Ids>(`${service().url}/v1/ids?count=3`, folder.firstToken);
    expect(body.ids).toHaveLength(3);
    const [first = ''] = body.ids;
    const decoded = await ask<object>(`${service().url}/v1/ids/${first}`, folder.firstToken);
    expect(decoded.body).toMatchObject({ id: first, workerId: decoder.decode(first).workerId });
  });

  it('leases worker IDs of the namespace in which it generates IDs itself', async () => {
    const store = remoteLeaseStore({ url: service().url, token: folder.firstToken, namespace: 'default' });
    const client = new SnowflakeIdMaker({ store, lease: { possibleLoss: 'ignore' } });
    try {
      await client.start();
      const own = await ask<Ids>(`${service().url}/v1/ids`, folder.firstToken);
      expect(client.decode(client.nextId()).workerId).not.toBe(decoder.decode(own.body.ids[0]!).workerId);
      const { body } = await ask<Registry>(`${service().url}/v1/leases/default`, folder.firstToken);
      expect(body.rows.map(({ workerId }) => workerId)).toEqual([0, 1]);
    } finally {
      await client.stop();
    }
  });

  it('shows its health to everybody, and metrics and the console to holders of a token only', async () => {
    for (const path of ['/health', '/health/live'])
      expect((await ask(`${service().url}${path}`, undefined)).status).toBe(200);
    for (const path of ['/metrics', '/snowflake/', '/snowflake/api/app', '/v1/ids']) {
      const refused = await ask(`${service().url}${path}`, undefined);
      expect([path, refused.status]).toEqual([path, 401]);
      expect((await ask(`${service().url}${path}`, 'guessed-token-0123')).status).toBe(401);
      expect((await ask(`${service().url}${path}`, folder.firstToken)).status).toBe(200);
    }
  });

  it('asks browsers for a token as the password of the console', async () => {
    const login = Buffer.from(`anybody:${folder.firstToken}`).toString('base64');
    const url = `${service().url}/snowflake/`;
    expect((await ask(url, undefined)).headers.get('www-authenticate')).toMatch(/^Basic /);
    const { status } = await fetch(url, {
      headers: { authorization: `Basic ${login}`, connection: 'close' },
    });
    expect(status).toBe(200);
  });

  it.each([
    ['GET', '/nothing', 404],
    ['DELETE', '/nothing', 404],
    ['DELETE', '/v1/ids', 405],
    ['POST', '/v1/ids', 413],
    ['GET', '/metrics', 401],
    ['GET', '/v1/layouts/%zz', 400],
    ['GET', `/v1/layouts/${'x'.repeat(150)}`, 414],
  ])('answers %s of %s with problem details of status %d', async (method, path, expected) => {
    const response = await fetch(service().url + path, {
      method,
      ...(method === 'POST' && { body: 'x'.repeat(1_000_000) }),
      headers: {
        connection: 'close',
        ...(method === 'POST' && { 'content-type': 'application/json' }),
      },
    });
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    expect(await response.json()).toMatchObject({
      status: expected,
      code: expect.stringMatching(/^SNOWFLAKE_/),
    });
    expect(response.status).toBe(expected);
  });

  it('describes its routes to everybody in an OpenAPI document, without the pages for operators', async () => {
    const { status, body } = await ask<OpenAPIObject>(`${service().url}/openapi.json`, undefined);
    expect(status).toBe(200);
    expect(body.info.description).toContain('IDs');
    expect(body.servers).toEqual([expect.objectContaining({ url: '/' })]);
    const operations = Object.values(body.paths).flatMap((item) => Object.values(item) as OperationObject[]);
    for (const { operationId } of operations) expect(operationId).toMatch(/^[a-z]+[A-Za-z]+$/);
    const paths = Object.keys(body.paths);
    expect(paths).toEqual(expect.arrayContaining(['/v1/ids', '/v1/leases/{namespace}', '/health']));
    expect(paths.filter((path) => /metrics|snowflake/.test(path))).toEqual([]);
  });

  // Stays the last one: it ends the process that the others use.
  it('keeps its token over a restart', async () => {
    const token = folder.firstToken;
    await service().stop();
    const again = await ServiceProcess.start({}, folder.path);
    try {
      expect((await ask(`${again.url}/v1/ids`, token)).status).toBe(200);
    } finally {
      await again.stop();
    }
  });
});

/** One process serves all tests. */
describe('the ID service with REDIS_URL', () => {
  const folder = new ServiceFolder();
  let redis: RedisServer;

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(async () => {
    await redis?.stop();
    folder.remove();
  });
  const service = startedApp(() => ServiceProcess.spawn(folder.env({ REDIS_URL: redis.url })));

  it('leases from Redis, and writes no SQLite file', async () => {
    const client = new Redis(redis.url);
    try {
      expect((await ask(`${service().url}/v1/ids`, TOKEN)).status).toBe(200);
      expect(await client.exists('snowflake:{default}')).toBe(1);
      expect(existsSync(join(folder.path, 'ids.sqlite'))).toBe(false);
    } finally {
      client.disconnect();
    }
  });

  it('accepts the tokens of a changed file without a restart, for the pages that they name and no IDs', async () => {
    const statuses = async (token: string): Promise<number[]> =>
      Promise.all(
        ['/metrics', '/snowflake/', '/v1/ids', '/v1/layouts/default'].map(
          async (path) => (await ask(`${service().url}${path}`, token)).status,
        ),
      );
    expect(await statuses(TOKEN)).toEqual([200, 200, 200, 200]);
    const [scraper, watcher] = ['scraper-0123456789', 'watcher-0123456789'];
    folder.writeTokens(
      { token: scraper, scopes: ['read'], names: ['/metrics'] },
      { token: watcher, scopes: ['read'], names: ['/console'] },
    );
    await waitFor('the new tokens', SEEN_WITHIN_MS, async () => (await statuses(scraper))[0] === 200);
    expect(await statuses(scraper)).toEqual([200, 403, 403, 403]);
    expect(await statuses(watcher)).toEqual([403, 200, 403, 403]);
    expect(await statuses(TOKEN)).toEqual([401, 401, 401, 401]);
  });

  // Stays the last one: it ends the process that the others use.
  it('ends with exit code 0', async () => {
    expect((await service().stop()).code).toBe(0);
  });
});

describe('the ID service with settings', () => {
  let folder: ServiceFolder;
  let service: ServiceProcess | undefined;

  beforeEach(() => {
    folder = new ServiceFolder();
  });
  afterEach(async () => {
    await service?.stop();
    service = undefined;
    folder.remove();
  });

  it('serves the instances and the namespaces that its environment lists, and no others', async () => {
    service = await ServiceProcess.start(
      folder.env({
        ID_INSTANCES: 'shop,billing',
        LEASE_NAMESPACES: 'edge,shop',
        EPOCH: '2025-01-01T00:00:00Z',
      }),
    );
    const statusOf = async (path: string): Promise<number> =>
      (await ask(`${service!.url}${path}`, TOKEN)).status;
    expect(await statusOf('/v1/ids?instance=billing')).toBe(200);
    expect(await statusOf('/v1/ids')).toBe(404);
    expect(await statusOf('/v1/leases/edge')).toBe(200);
    expect(await statusOf('/v1/leases/billing')).toBe(404);
    const { body } = await ask<object>(`${service.url}/v1/layouts/shop`, TOKEN);
    expect(body).toMatchObject({ epochMs: Date.parse('2025-01-01T00:00:00Z') });
    expect((await ask<object>(`${service.url}/health`, undefined)).body).toMatchObject({
      details: { shop: { status: 'up' }, billing: { status: 'up' } },
    });
  });

  it('issues numbers of its tags, to anyone at the addresses of Leaf if its file of tokens permits this', async () => {
    const env = folder.env({
      SEGMENT_TAGS: 'ticket,parcel',
      SEGMENT_NAMESPACE: 'shop',
      LEAF_ADDRESSES: 'true',
    });
    folder.writeTokens(
      { token: TOKEN, scopes: ['segments', 'claims', 'read'] },
      { anyone: true, scopes: ['segments'], names: ['parcel'] },
      { anyone: true, scopes: ['read'] },
    );
    service = await ServiceProcess.start(env);
    const { url } = service;
    const { body } = await ask<{ numbers: string[] }>(`${url}/v1/segments/ticket?count=2`, TOKEN);
    expect(body.numbers).toEqual(['1', '2']);
    expect((await ask(`${url}/v1/segments/unknown`, TOKEN)).status).toBe(404);
    expect((await ask(`${url}/v1/segments/ticket`, undefined)).status).toBe(401);
    const leaf = await fetch(`${url}/api/segment/get/parcel`, { headers: { connection: 'close' } });
    expect([leaf.status, await leaf.text()]).toEqual([200, '1']);
    expect((await ask(`${url}/v1/layouts/default`, undefined)).status).toBe(200);
    for (const page of ['/metrics', '/snowflake/'])
      expect((await ask(`${url}${page}`, undefined)).status).toBe(401);

    // A process that claims segments itself gets other numbers of the same tag.
    const store = remoteSegmentStore({ url, token: TOKEN, namespace: 'shop' });
    const client = new Segments({ store, tags: ['ticket'] });
    try {
      await client.start();
      expect(client.source('ticket').next()).toBeGreaterThan(2);
    } finally {
      await client.stop();
    }
  });

  it('needs no token for its help, which lists every environment variable', async () => {
    const help = ServiceProcess.spawn({}, folder.path, ['--help']);
    expect(await help.untilEnd()).toEqual({ code: 0, signal: null });
    for (const { name } of describedVariables(Environment)) expect(help.output).toContain(name);
    expect(existsSync(join(folder.path, 'data'))).toBe(false);
  });

  it('refuses an argument that it does not know, before it writes anything', async () => {
    const failing = ServiceProcess.spawn({}, folder.path, ['--port', '3100']);
    expect(await failing.untilEnd()).toEqual({ code: 1, signal: null });
    expect(failing.output).toContain('--port');
    expect(failing.output).toContain('--help');
    expect(existsSync(join(folder.path, 'data'))).toBe(false);
  });

  it.each([
    ['TOKENS_FILE', { NODE_ENV: 'production' }],
    ['REDIS_URL', { REDIS_URL: 'localhost' }],
  ])('does not start if %s is missing or invalid', async (name, env) => {
    const failing = ServiceProcess.spawn(env, folder.path);
    expect(await failing.untilEnd()).toEqual({ code: 1, signal: null });
    expect(failing.output).toContain(name);
    expect(existsSync(join(folder.path, 'data'))).toBe(false);
  });
});
