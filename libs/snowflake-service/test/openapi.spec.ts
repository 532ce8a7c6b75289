import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { memoryLeaseStore, SnowflakeModule } from 'nestjs-snowflake';
import type { LeaseReply, LeaseStore } from 'nestjs-snowflake/store';
import { memorySegmentStore, SegmentModule } from 'nestjs-snowflake-segments';
import { type HttpApp, PLATFORMS } from '../../../test/adapters/http-apps.js';
import {
  LEASE,
  PAST,
  segmentStoreOfTests,
  send,
  SHOP_TOKEN,
  type Sent,
  startService,
  storeOfTests,
  storeWithoutBackfill,
} from './service-app.js';
import { Description } from './description.js';

const documentOf = ({ app }: HttpApp): OpenAPIObject =>
  SwaggerModule.createDocument(app, new DocumentBuilder().addBearerAuth().build());

/** A store that replies this, as only a Redis does. */
const storeThatReplies = (reply: LeaseReply): LeaseStore => ({
  ...storeWithoutBackfill(),
  lease: async () => reply,
});

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const LEASES = '/v1/leases/{namespace}';
const RELEASE = { workerId: 0, fencingToken: 'x', lastUsedMs: 1 };
const CLAIMS = '/v1/claims/{namespace}';
const CLAIM = { tag: 'ticket', token: 'token', count: 5, finished: [] };
const REST = { tag: 'ticket', token: 'token', first: 1, count: 3 };

const CALLS: readonly (readonly [status: number, path: string, url: string, sent: Sent])[] = [
  [200, '/v1/ids', 'v1/ids', { body: { count: 3 } }],
  [200, '/v1/ids', 'v1/ids?count=2&instance=default', {}],
  [200, '/v1/ids/{id}', 'v1/ids/382475217496248322', {}],
  [200, '/v1/layouts/{instance}', 'v1/layouts/default', {}],
  [200, LEASES, 'v1/leases/shop', { body: { ...LEASE, assumeNew: false } }],
  [200, LEASES, 'v1/leases/shop', { body: LEASE }],
  [200, LEASES, 'v1/leases/shop', { body: { ...LEASE, layout: 'another' } }],
  [200, LEASES, 'v1/leases/alone', { body: LEASE }],
  [200, LEASES, 'v1/leases/corrupt', { body: LEASE }],
  [200, LEASES, 'v1/leases/full', { body: LEASE }],
  [200, LEASES, 'v1/leases/kept', { body: LEASE }],
  [200, LEASES, 'v1/leases/copied', { body: LEASE }],
  [200, LEASES, 'v1/leases/shop', {}],
  [200, `${LEASES}/release`, 'v1/leases/shop/release', { body: RELEASE }],
  [200, `${LEASES}/backfill`, 'v1/leases/shop/backfill', { body: { ...PAST, ignoreLoss: false } }],
  [200, `${LEASES}/backfill`, 'v1/leases/shop/backfill', { body: PAST }],
  [502, `${LEASES}/backfill`, 'v1/leases/alone/backfill', { body: PAST }],
  [200, '/v1/segments/{tag}', 'v1/segments/ticket?count=2', {}],
  [200, CLAIMS, 'v1/claims/numbers', { body: CLAIM }],
  [200, `${CLAIMS}/tags`, 'v1/claims/numbers/tags', { body: { tag: 'ticket', first: 1, step: 100 } }],
  [200, `${CLAIMS}/tags`, 'v1/claims/numbers/tags', { body: { tag: 'ticket', first: 1, step: 100 } }],
  [200, CLAIMS, 'v1/claims/numbers', { body: CLAIM }],
  [200, `${CLAIMS}/return`, 'v1/claims/numbers/return', { body: { rests: [REST] } }],
  [200, `${CLAIMS}/resume`, 'v1/claims/numbers/resume', { body: { highest: {} } }],
  [200, `${CLAIMS}/resume`, 'v1/claims/numbers/resume', { body: { highest: { ticket: 500 } } }],
  [200, CLAIMS, 'v1/claims/numbers', {}],
  [404, '/v1/segments/{tag}', 'v1/segments/none', {}],
  [400, '/v1/ids', 'v1/ids?count=0', {}],
  [400, '/v1/ids/{id}', 'v1/ids/none', {}],
  [415, '/v1/ids', 'v1/ids', { body: 'count=1', headers: { 'content-type': 'text/plain' } }],
  [401, '/v1/ids', 'v1/ids', { token: '' }],
  [401, LEASES, 'v1/leases/shop', { token: 'an-unknown-token-of-nobody' }],
  [403, LEASES, 'v1/leases/shop', { token: SHOP_TOKEN }],
  [404, LEASES, 'v1/leases/none', { body: LEASE }],
  [503, LEASES, 'v1/leases/broken', { body: LEASE }],
];

describe.each(PLATFORMS)('the OpenAPI document of the service on %s', (platform) => {
  let service: HttpApp;
  let description: Description;
  beforeAll(async () => {
    const broken = { ...storeOfTests(), lease: () => Promise.reject(new TypeError('a defect')) };
    const leases = {
      shop: storeOfTests(),
      alone: storeThatReplies({ outcome: 'alone', replicas: 0, storeNowMs: 1 }),
      corrupt: storeThatReplies({ outcome: 'corrupt', field: 'layout', stored: '?' }),
      full: storeThatReplies({ outcome: 'full', nextFreeInMs: 1, storeNowMs: 1 }),
      kept: storeThatReplies({ outcome: 'kept', fencingToken: 'x', untilMs: 1, storeNowMs: 1 }),
      copied: storeThatReplies({ outcome: 'copied', storeNowMs: 1 }),
      broken,
    };
    const options = { leases, segments: { numbers: segmentStoreOfTests() }, leafAddresses: true };
    service = await startService(platform, options, [
      SnowflakeModule.forRoot({ store: memoryLeaseStore() }),
      SegmentModule.forRoot({ tags: ['ticket'], store: memorySegmentStore() }),
    ]);
    description = new Description(documentOf(service));
  });
  afterAll(() => service.stop());

  it('describes every route but those of Leaf, with its success, its errors, and who may call it', () => {
    const { document, routes } = description;
    expect(routes).toHaveLength(14);
    expect(routes.every(([path]) => path.startsWith('/v1/'))).toBe(true);
    for (const [path, method] of routes) {
      const { responses, security, requestBody, parameters = [] } = document.paths[path]![method]!;
      const ofBody = requestBody ? ['413', '415'] : [];
      expect(Object.keys(responses)).toEqual(
        ['200', '400', '401', '403', '404', '429', '500', '502', '503', ...ofBody].toSorted(),
      );
      expect(security).toEqual([{ bearer: [] }]);
      expect(requestBody === undefined).toBe(method === 'get');
      const named = parameters.flatMap((each) => ('in' in each && each.in === 'path' ? [each.name] : []));
      expect(named).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    }
  });

  it('names each operation as a person would', () => {
    const { document, routes } = description;
    const names = routes.map(([path, method]) => document.paths[path]![method]!.operationId);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z]+[A-Za-z]*$/);
    expect(document.paths['/v1/ids']!.post!.operationId).toBe('makeIds');
  });

  it('describes all methods of its routes: another one gets a 405 that names them', async () => {
    const { document } = description;
    for (const [path, item] of Object.entries(document.paths)) {
      const methods = METHODS.filter((method) => Reflect.has(item, method.toLowerCase()));
      for (const method of METHODS.filter((each) => !methods.includes(each))) {
        const url = path.slice(1).replace(/\{\w+\}/g, 'shop');
        const { status, headers, body } = await send(service, url, { method });
        expect([path, method, status, body.code]).toEqual([
          path,
          method,
          405,
          'SNOWFLAKE_METHOD_NOT_ALLOWED',
        ]);
        expect(headers.get('content-type')).toContain('application/problem+json');
        expect(headers.get('allow')).toBe(methods.join(', ').replace('GET', 'GET, HEAD'));
      }
    }
  });

  it('demands a name of the call where the service refuses a call without one', async () => {
    for (const [path, method] of description.routes.filter(([, each]) => each === 'post')) {
      const url = path.slice(1).replace('{namespace}', path.startsWith(CLAIMS) ? 'numbers' : 'shop');
      const { body } = await send(service, url, { body: {}, call: '' });
      const { parameters = [] } = description.document.paths[path]![method]!;
      const required = parameters.flatMap((each) => ('in' in each && each.required ? [each.name] : []));
      const isRefused = String(body.detail).includes('Snowflake-Call');
      expect([path, required.includes('Snowflake-Call')]).toEqual([path, isRefused]);
    }
  });

  it.each(CALLS)('fits the response with status %d of %s at %s', async (status, path, url, sent) => {
    const response = await send(service, url, sent);
    expect(response.status).toBe(status);
    const method = sent.body === undefined ? 'get' : 'post';
    expect(description.problemsOf(path, method, response)).toBeUndefined();
  });

  it('does not fit an ID that is a number, or a body with a field that the protocol does not have (control)', () => {
    const headers = new Headers({ 'content-type': 'application/json' });
    const rounded = { status: 200, headers, body: { ids: [7] } };
    expect(description.problemsOf('/v1/ids', 'get', rounded)).toBeDefined();
    expect(description.problemsOfBody('/v1/leases/{namespace}', 'post', LEASE)).toBeUndefined();
    expect(description.problemsOfBody('/v1/leases/{namespace}', 'post', { ...LEASE, more: 1 })).toBeDefined();
    expect(description.problemsOfBody('/v1/ids', 'post', { count: 10_001 })).toBeDefined();
  });
});
