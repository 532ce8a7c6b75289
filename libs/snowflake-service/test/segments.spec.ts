import type { CallHandler, DynamicModule, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { type Observable, of, tap } from 'rxjs';
import { memoryLeaseStore, SnowflakeModule } from 'nestjs-snowflake';
import { SegmentModule, sqlSegmentStore } from 'nestjs-snowflake-segments';
import { Client } from 'pg';
import { type HttpApp, PLATFORMS } from '../../../test/adapters/http-apps.js';
import { databaseFor } from '../../../test/support/servers/index.js';
import { waitFor } from '../../../test/support/wait.js';
import { IDS_TOKEN, type Received, send, startService, TICKET_TOKEN } from './service-app.js';

const ids = SnowflakeModule.forRoot({ store: memoryLeaseStore() });
const WITHIN_MS = 20_000;
let url: string;

beforeAll(async () => {
  url = await databaseFor('postgres', 'segments over the network');
});

const segmentsOf = (tags: readonly string[]): DynamicModule =>
  SegmentModule.forRoot({ tags, store: sqlSegmentStore({ url, createTable: true }) });

const numbersIn = ({ body }: Received): readonly number[] => (body['numbers'] as string[]).map(Number);

describe.each(PLATFORMS)('the segments of a service on %s [promise: segments]', (platform) => {
  const tag = `order-${platform}`;
  let services: readonly HttpApp[];
  const serve = (): Promise<HttpApp> =>
    startService(platform, { callTimeoutMs: WITHIN_MS }, [ids, segmentsOf([tag, 'ticket'])]);
  beforeAll(async () => {
    services = await Promise.all([serve(), serve()]);
  });
  afterAll(() => Promise.all(services.map((service) => service.stop())));

  it('issue each number once, to all clients of two services', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        send(services[at % 2]!, `v1/segments/${tag}?count=${1 + 10 * at}`),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    for (const numbers of answers.map(numbersIn))
      expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
    const all = answers.flatMap(numbersIn);
    expect(all).toHaveLength(40 + 10 * ((39 * 40) / 2));
    expect(new Set(all).size).toBe(all.length);
  });

  it('issue no number again that a client did not wait for', async () => {
    const [service] = services as readonly [HttpApp];
    const leaving = Array.from({ length: 20 }, async () => {
      const abort = new AbortController();
      const headers = { authorization: `Bearer ${TICKET_TOKEN}`, connection: 'close' };
      const call = fetch(`${service.url}/v1/segments/ticket?count=500`, { headers, signal: abort.signal });
      setImmediate(() => abort.abort());
      return call
        .then((response) => response.json() as Promise<{ readonly numbers: readonly string[] }>)
        .catch(() => ({ numbers: [] }));
    });
    const staying = Array.from({ length: 20 }, () => send(service, 'v1/segments/ticket?count=500'));
    const received = [
      ...(await Promise.all(staying)).flatMap(numbersIn),
      ...(await Promise.all(leaving)).flatMap(({ numbers }) => numbers.map(Number)),
    ];
    expect(received.length).toBeGreaterThanOrEqual(20 * 500);
    expect(new Set(received).size).toBe(received.length);
  });

  it.each([
    ['ticket?count=0', 400, 'SNOWFLAKE_INVALID_REQUEST'],
    ['ticket?count=-1', 400, 'SNOWFLAKE_INVALID_REQUEST'],
    ['ticket?count=10001', 400, 'SNOWFLAKE_INVALID_REQUEST'],
    ['ticket?count=1e3', 400, 'SNOWFLAKE_INVALID_REQUEST'],
    ['ticket?count=1&count=2', 400, 'SNOWFLAKE_INVALID_REQUEST'],
    ['ticket?colour=red', 400, 'SNOWFLAKE_INVALID_REQUEST'],
    ['invoice', 404, 'SNOWFLAKE_UNKNOWN_NAME'],
  ])('answer %s with %d and %s', async (path, status, code) => {
    const [service] = services as readonly [HttpApp];
    expect(await send(service, `v1/segments/${path}`)).toMatchObject({ status, body: { status, code } });
  });

  it.each([
    ['ticket', TICKET_TOKEN, 200],
    ['ticket', IDS_TOKEN, 403],
    ['ticket', '', 401],
    ['invoice', TICKET_TOKEN, 403],
  ])('admit to the tag %s who holds the token "%s" with %d', async (name, token, status) => {
    const [service] = services as readonly [HttpApp];
    expect((await send(service, `v1/segments/${name}`, { token })).status).toBe(status);
  });

  it('answer 503 with Retry-After while the database grants none, and go on after that without a repeat', async () => {
    const [service] = services as readonly [HttpApp];
    const client = new Client({ connectionString: url });
    await client.connect();
    const issued = [...numbersIn(await send(service, `v1/segments/${tag}`))];
    try {
      await client.query('BEGIN');
      await client.query('LOCK TABLE snowflake_segment IN ACCESS EXCLUSIVE MODE');
      const refused = await waitFor('a refusal', WITHIN_MS, async () => {
        const answer = await send(service, `v1/segments/${tag}?count=10000`, {
          headers: { 'snowflake-timeout-ms': '200' },
        });
        if (answer.status !== 200) return answer;
        issued.push(...numbersIn(answer));
        return undefined;
      });
      expect(refused).toMatchObject({ status: 503, body: { code: 'SNOWFLAKE_SEGMENT_EXHAUSTED' } });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    } finally {
      await client.query('ROLLBACK');
      await client.end();
    }
    const next = await waitFor('numbers', WITHIN_MS, async () => {
      const answer = await send(service, `v1/segments/${tag}?count=1000`);
      return answer.status === 200 && numbersIn(answer);
    });
    issued.push(...next);
    expect(new Set(issued).size).toBe(issued.length);
  });
});

describe.each(PLATFORMS)('the segments of a service on %s in an app [promise: segments]', (platform) => {
  it('repeat no number if an interceptor of the app caches what is returned to a GET', async () => {
    let cached: unknown;
    const caching: NestInterceptor = {
      intercept: (_: ExecutionContext, next: CallHandler): Observable<unknown> =>
        cached === undefined ? next.handle().pipe(tap((value) => (cached = value))) : of(cached),
    };
    const imports = [ids, segmentsOf([`cached-${platform}`])];
    const service = await startService(platform, {}, imports, (app) => app.useGlobalInterceptors(caching));
    try {
      const ask = (): Promise<Received> => send(service, `v1/segments/cached-${platform}`);
      expect([...numbersIn(await ask()), ...numbersIn(await ask())]).toEqual([1, 2]);
    } finally {
      await service.stop();
    }
  });
});

describe('a service in an app without segments', () => {
  it('has no tag', async () => {
    const service = await startService('Express');
    try {
      expect(await send(service, 'v1/segments/ticket')).toMatchObject({
        status: 404,
        body: { code: 'SNOWFLAKE_UNKNOWN_NAME' },
      });
    } finally {
      await service.stop();
    }
  });
});
