import { Logger } from '@nestjs/common';
import { memoryLeaseStore, SnowflakeModule } from 'nestjs-snowflake';
import { SnowflakePrometheusModule } from 'nestjs-snowflake/prometheus';
import { memorySegmentStore, SegmentModule } from 'nestjs-snowflake-segments';
import { Registry } from 'prom-client';
import { map } from 'rxjs';
import { seriesOf } from '../../../test/adapters/prometheus-text.js';
import { waitFor } from '../../../test/support/wait.js';
import { startGrpc } from './grpc-app.js';
import { IDS_TOKEN, LEASE, PAST, storeOfTests } from './service-app.js';

const MAKE = 'snowflake.v1.IdService.MakeIds';
const STREAM = 'snowflake.v1.IdService.StreamIds';
const WITHIN_MS = 20_000;
const nothing = (): void => undefined;

const seriesOfCall = (operation: string, code?: string): string =>
  `snowflake_service_calls_total{snowflake_operation="${operation}"${code ? `,error_type="${code}"` : ''}}`;

describe('the service over gRPC', () => {
  it('counts calls by operation and code', async () => {
    const registry = new Registry();
    const service = await startGrpc({
      imports: [
        SnowflakeModule.forRoot({ store: memoryLeaseStore() }),
        SnowflakePrometheusModule.forRoot({ registry }),
      ],
    });
    try {
      await service.client.call(MAKE, { count: 3 });
      await service.client.call(MAKE, { count: 0 });
      await service.client.call('snowflake.v1.IdService.GetLayout', {}, { token: IDS_TOKEN });
      for await (const _ of service.client.stream(STREAM, { batchCount: 2 }));
      const endless = service.client.stream(STREAM, {}).on('error', nothing);
      endless.once('data', () => endless.cancel());
      const expected = [
        seriesOfCall('ids'),
        seriesOfCall('ids', 'SNOWFLAKE_INVALID_REQUEST'),
        seriesOfCall('layout', 'SNOWFLAKE_FORBIDDEN'),
        seriesOfCall('stream'),
        seriesOfCall('stream', 'CLIENT_CLOSED'),
      ];
      for (const name of expected) {
        const value = async (): Promise<unknown> => seriesOf(await registry.metrics()).get(name);
        expect(await waitFor(name, WITHIN_MS, value)).toBe(1);
      }
    } finally {
      await service.stop();
    }
  });

  it('counts the calls of all methods', async () => {
    const registry = new Registry();
    const service = await startGrpc({
      imports: [
        SnowflakeModule.forRoot({ store: memoryLeaseStore() }),
        SegmentModule.forRoot({ tags: ['ticket'], store: memorySegmentStore() }),
        SnowflakePrometheusModule.forRoot({ registry }),
      ],
      service: { leases: { shop: storeOfTests() } },
    });
    const calls: readonly (readonly [operation: string, method: string, request: object])[] = [
      ['ids', 'IdService.MakeIds', {}],
      ['decode', 'IdService.DecodeId', { id: '1' }],
      ['layout', 'IdService.GetLayout', {}],
      ['segments', 'SegmentService.NextNumbers', { tag: 'ticket' }],
      ['lease', 'LeaseService.Lease', { ...LEASE, namespace: 'shop', call: 'acquire' }],
      ['release', 'LeaseService.Release', { namespace: 'shop', fencingToken: '1', call: 'release' }],
      ['backfill', 'LeaseService.Backfill', { ...PAST, namespace: 'shop', call: 'backfill' }],
      ['inspect-leases', 'LeaseService.Inspect', { namespace: 'shop' }],
    ];
    try {
      for (const [operation, method, request] of calls) {
        expect(await service.client.call(`snowflake.v1.${method}`, { ...request })).toMatchObject({
          status: 'OK',
        });
        expect(seriesOf(await registry.metrics()).get(seriesOfCall(operation))).toBe(1);
      }
    } finally {
      await service.stop();
    }
  });

  it('counts a call once that an interceptor of the app fails after it has succeeded', async () => {
    const registry = new Registry();
    const service = await startGrpc({
      imports: [
        SnowflakeModule.forRoot({ store: memoryLeaseStore() }),
        SnowflakePrometheusModule.forRoot({ registry }),
      ],
      configure: (app) =>
        app.useGlobalInterceptors({
          intercept: (_, next) =>
            next.handle().pipe(
              map(() => {
                throw new Error('a defect of the app');
              }),
            ),
        }),
    });
    try {
      expect(await service.client.call(MAKE, {})).toMatchObject({ status: 'INTERNAL' });
      const counted = [...seriesOf(await registry.metrics())].filter(([name]) =>
        name.startsWith('snowflake_service_calls_total'),
      );
      expect(counted).toEqual([[seriesOfCall('ids'), 1]]);
    } finally {
      await service.stop();
    }
  });

  it('names a call that failed in the log by the ID that its client sent', async () => {
    const logged: unknown[] = [];
    const service = await startGrpc({
      service: {
        authorize: () => {
          throw new Error('a defect');
        },
      },
    });
    Logger.overrideLogger({ log: nothing, warn: nothing, error: (...all: unknown[]) => logged.push(...all) });
    try {
      expect((await service.client.call(MAKE, {}, { requestId: 'call-1' })).status).toBe('INTERNAL');
      expect(logged).toContainEqual(
        expect.objectContaining({ requestId: 'call-1', code: 'SNOWFLAKE_INTERNAL' }),
      );
    } finally {
      Logger.overrideLogger(false);
      await service.stop();
    }
  });
});
