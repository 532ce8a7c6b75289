import { memoryLeaseStore, SnowflakeModule } from 'nestjs-snowflake';
import { SegmentModule, sqlSegmentStore } from 'nestjs-snowflake-segments';
import { databaseFor } from '../../../test/support/servers/index.js';
import { type GrpcApp, startGrpc } from './grpc-app.js';
import { CALL_MS, IDS_TOKEN, TICKET_TOKEN } from './service-app.js';

const NEXT = 'snowflake.v1.SegmentService.NextNumbers';

describe('the segments of a service over gRPC [promise: segments]', () => {
  let services: readonly GrpcApp[];

  beforeAll(async () => {
    const url = await databaseFor('postgres', 'segments over gRPC');
    const serve = (): Promise<GrpcApp> => {
      const store = sqlSegmentStore({ url, createTable: true });
      const segments = SegmentModule.forRoot({ tags: ['ticket'], store, callTimeoutMs: CALL_MS });
      return startGrpc({
        imports: [SnowflakeModule.forRoot({ store: memoryLeaseStore() }), segments],
        service: { callTimeoutMs: CALL_MS },
      });
    };
    services = [await serve(), await serve()];
  });
  afterAll(() => Promise.all(services.map((service) => service.stop())));

  it('issue each number once, to all clients of two services', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        services[at % 2]!.client.call(NEXT, { tag: 'ticket', count: 1 + 10 * at }, { token: TICKET_TOKEN }),
      ),
    );
    const numbers = answers.flatMap(({ response }) => response['numbers'] as string[]);
    expect(numbers).toHaveLength(20 + 10 * ((19 * 20) / 2));
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  it.each([
    ['of another tag', { tag: 'none' }, undefined, 'NOT_FOUND'],
    ['without a tag', {}, undefined, 'NOT_FOUND'],
    ['of which the count is 0', { tag: 'ticket', count: 0 }, undefined, 'INVALID_ARGUMENT'],
    ['of which the count is too large', { tag: 'ticket', count: 10_001 }, undefined, 'INVALID_ARGUMENT'],
    ['of a client that may not have them', { tag: 'ticket' }, IDS_TOKEN, 'PERMISSION_DENIED'],
  ])('refuse a request %s', async (_, request, token, status) => {
    const [service] = services as readonly [GrpcApp];
    await expect(service.client.call(NEXT, request, { token })).resolves.toMatchObject({ status });
  });
});
