import { status } from '@grpc/grpc-js';
import { ReflectionService } from '@grpc/reflection';
import { HealthImplementation } from 'grpc-health-check';
import { type GrpcApp, startGrpc } from './grpc-app.js';
import type { Message, Sending } from './grpc-client.js';
import {
  IDS_TOKEN,
  PAST as PAST_OF_SHOP,
  SHOP_TOKEN,
  storeOfTests,
  storeWithoutBackfill,
  TOKEN,
} from './service-app.js';

const MAKE = 'snowflake.v1.IdService.MakeIds';
const STREAM = 'snowflake.v1.IdService.StreamIds';
const DECODE = 'snowflake.v1.IdService.DecodeId';
const LAYOUT = 'snowflake.v1.IdService.GetLayout';
const ACQUIRE = 'snowflake.v1.LeaseService.Lease';
const RELEASE = 'snowflake.v1.LeaseService.Release';
const BACKFILL = 'snowflake.v1.LeaseService.Backfill';
const INSPECT = 'snowflake.v1.LeaseService.Inspect';
const LEASE = {
  call: 'call-1',
  namespace: 'shop',
  layout: 'layout',
  firstWorkerId: 0,
  workerCount: 8,
  windowMs: 60_000,
  maxSkewMs: 1000,
  nonce: '0123456789abcdef:test',
  assumeNew: true,
  searchSeed: 1,
};
const PAST = { ...PAST_OF_SHOP, call: 'call-3', namespace: 'shop' };
const RETURNED = { call: 'call-2', namespace: 'shop', workerId: 0, fencingToken: 'x' };

const idsOf = ({ ids }: Message): string[] => ids as string[];

describe('the service over gRPC', () => {
  let service: GrpcApp;
  beforeAll(async () => {
    service = await startGrpc({
      service: { leases: { shop: storeOfTests(), fixed: storeWithoutBackfill() } },
      grpc: { health: HealthImplementation, reflection: ReflectionService },
    });
  });
  afterAll(() => service.stop());

  it('generates IDs in ascending order, of which none repeats', async () => {
    const answers = [
      await service.client.call(MAKE, { count: 10_000 }),
      await service.client.call(MAKE, {}),
      await service.client.call(MAKE, { instance: 'default', count: 2 }),
    ];
    const ids = answers.flatMap(({ response }) => idsOf(response));
    expect(ids).toHaveLength(10_003);
    expect(ids).toEqual(ids.toSorted((one, other) => (BigInt(one) < BigInt(other) ? -1 : 1)));
    expect(new Set(ids).size).toBe(10_003);
  });

  it('decodes an ID, and shows how it is composed', async () => {
    const made = await service.client.call(MAKE, {});
    const [id] = idsOf(made.response);
    const decoded = await service.client.call(DECODE, { id });
    expect(decoded.response).toMatchObject({ id, workerId: expect.any(Number) });
    expect(decoded.response).not.toHaveProperty('datacenterId');
    const layout = await service.client.call(LAYOUT, {});
    expect(layout.response).toMatchObject({ timestampBits: 41, workerBits: 10, sequenceBits: 12, tickMs: 1 });
    expect(Number(layout.response.epochMs) + Number(decoded.response.tick)).toBe(
      Number(decoded.response.timestampMs),
    );
  });

  it('streams as many batches as the client wants', async () => {
    const batches: string[][] = [];
    for await (const batch of service.client.stream(STREAM, { batchSize: 3, batchCount: 4 }))
      batches.push(idsOf(batch as Message));
    expect(batches.map(({ length }) => length)).toEqual([3, 3, 3, 3]);
    expect(new Set(batches.flat()).size).toBe(12);
  });

  it.each([
    ['a count of 0', MAKE, { count: 0 }],
    ['a count above the bound', MAKE, { count: 10_001 }],
    ['the largest count', MAKE, { count: 2 ** 32 - 1 }],
    ['a window that no registry can hold', ACQUIRE, { ...LEASE, windowMs: 1e12 }],
    ['a window that no number can hold', ACQUIRE, { ...LEASE, windowMs: '9223372036854775807' }],
    ['worker IDs beside those of the layout', ACQUIRE, { ...LEASE, layout: 'v2 workers=0+4' }],
    ['a lease without worker IDs', ACQUIRE, { ...LEASE, workerCount: 0 }],
    ['a negative worker ID', ACQUIRE, { ...LEASE, firstWorkerId: -1 }],
    ['a lease without a nonce', ACQUIRE, { ...LEASE, nonce: '' }],
    ['an empty claim', ACQUIRE, { ...LEASE, claim: {} }],
    ['a release of a negative worker ID', RELEASE, { ...RETURNED, workerId: -1 }],
    ['a claim of the past that begins with nothing', BACKFILL, { ...PAST, firstMs: 0 }],
    ['a claim of the past that ends before it begins', BACKFILL, { ...PAST, firstMs: 3 }],
    ['a claim of the past with a negative worker ID', BACKFILL, { ...PAST, workerId: -1 }],
    ['a claim of the past in a call without a name', BACKFILL, { ...PAST, call: '' }],
    ['a lease in a call without a name', ACQUIRE, { ...LEASE, call: '' }],
    ['a release in a call with a long name', RELEASE, { ...RETURNED, call: 'x'.repeat(65) }],
  ])('refuses %s, and says what is wrong', async (_, method, request) => {
    const answer = await service.client.call(method, request);
    expect(answer).toMatchObject({
      status: 'INVALID_ARGUMENT',
      trailers: { 'snowflake-code': 'SNOWFLAKE_INVALID_REQUEST' },
    });
    expect(answer.details).not.toBe('');
  });

  it.each([
    ['of no IDs', { batchSize: 0 }],
    ['of too large batches', { batchSize: 10_001 }],
    ['of no batches', { batchCount: 0 }],
  ])('refuses a stream %s', async (_, request) => {
    await expect(drained(service, request)).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
  });

  it.each([
    [DECODE, { id: '18446744073709551615' }, 'INVALID_ARGUMENT', 'SNOWFLAKE_INVALID_ID'],
    [MAKE, { instance: 'none' }, 'NOT_FOUND', 'SNOWFLAKE_UNKNOWN_NAME'],
    [LAYOUT, { instance: 'none' }, 'NOT_FOUND', 'SNOWFLAKE_UNKNOWN_NAME'],
    [INSPECT, { namespace: 'none' }, 'NOT_FOUND', 'SNOWFLAKE_UNKNOWN_NAME'],
    [BACKFILL, { ...PAST, namespace: 'none' }, 'NOT_FOUND', 'SNOWFLAKE_UNKNOWN_NAME'],
    [BACKFILL, { ...PAST, namespace: 'fixed' }, 'FAILED_PRECONDITION', 'SNOWFLAKE_BACKFILL_REFUSED'],
  ])('answers %s of %j with %s and %s', async (method, request, name, code) => {
    await expect(service.client.call(method, request)).resolves.toMatchObject({
      status: name,
      trailers: { 'snowflake-code': code },
    });
  });

  it.each([
    [MAKE, {}, '', 'UNAUTHENTICATED'],
    [MAKE, {}, 'an-unknown-token-of-nobody', 'UNAUTHENTICATED'],
    [MAKE, {}, SHOP_TOKEN, 'PERMISSION_DENIED'],
    [MAKE, {}, IDS_TOKEN, 'OK'],
    [LAYOUT, {}, IDS_TOKEN, 'PERMISSION_DENIED'],
    [BACKFILL, PAST, IDS_TOKEN, 'PERMISSION_DENIED'],
    [BACKFILL, PAST, SHOP_TOKEN, 'OK'],
    [INSPECT, { namespace: 'shop' }, SHOP_TOKEN, 'PERMISSION_DENIED'],
    [INSPECT, { namespace: 'shop' }, TOKEN, 'OK'],
  ])('admits to %s of %j who holds the token "%s": %s', async (method, request, token, name) => {
    await expect(service.client.call(method, request, { token })).resolves.toMatchObject({ status: name });
  });

  it('asks who calls before it looks for a name, so that nobody learns which names exist', async () => {
    const answer = await service.client.call(ACQUIRE, { ...LEASE, namespace: 'none' }, { token: IDS_TOKEN });
    expect(answer.status).toBe('PERMISSION_DENIED');
  });

  it('streams nothing to who may not have IDs', async () => {
    await expect(drained(service, {}, { token: SHOP_TOKEN })).rejects.toMatchObject({
      code: status.PERMISSION_DENIED,
    });
  });

  it('refuses a request that is longer than any of the protocol', async () => {
    const answer = await service.client.call(ACQUIRE, { ...LEASE, layout: 'x'.repeat(1_000_000) });
    expect(answer.status).toBe('RESOURCE_EXHAUSTED');
  });

  it('takes a longer request if the app raises the bound', async () => {
    const channelOptions = { 'grpc.max_receive_message_length': 4_000_000 };
    const app = await startGrpc({ grpc: { channelOptions } });
    try {
      const answer = await app.client.call(ACQUIRE, { ...LEASE, layout: 'x'.repeat(1_000_000) });
      expect(answer.status).toBe('INVALID_ARGUMENT');
    } finally {
      await app.stop();
    }
  });

  it('survives a token that is longer than any of the protocol', async () => {
    const answer = await service.client.call(MAKE, {}, { token: 'x'.repeat(1_000_000) });
    expect(answer.status).not.toBe('OK');
    expect((await service.client.call(MAKE, {})).status).toBe('OK');
  });

  it.each(['', 'snowflake.v1.IdService', 'snowflake.v1.LeaseService', 'snowflake.v1.SegmentService'])(
    'tells the health of "%s"',
    async (name) => {
      const { response } = await service.client.call('grpc.health.v1.Health.Check', { service: name });
      expect(response).toEqual({ status: 'SERVING' });
    },
  );
});

async function drained({ client }: GrpcApp, request: object, sending?: Sending): Promise<unknown[]> {
  const batches: unknown[] = [];
  for await (const batch of client.stream(STREAM, request, sending)) batches.push(batch);
  return batches;
}
