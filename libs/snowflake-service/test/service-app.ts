import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { type DynamicModule, type INestApplication, Module } from '@nestjs/common';
import { memoryLeaseStore, SnowflakeModule } from 'nestjs-snowflake';
import { type LeaseStore, MemoryRegistry } from 'nestjs-snowflake/store';
import { memorySegmentStore } from 'nestjs-snowflake-segments';
import type { SegmentStore } from 'nestjs-snowflake-segments/store';
import {
  bearerTokens,
  SnowflakeServiceModule,
  type SnowflakeServiceExtras,
  type SnowflakeServiceOptions,
} from 'nestjs-snowflake-service';
import { HttpApp, type Platform } from '../../../test/adapters/http-apps.js';

/** How long a call may take where nothing repeats it: a server of a busy machine stands still for seconds. */
export const CALL_MS = 20_000;
export const TOKEN = 'a-token-for-everything-1';
export const IDS_TOKEN = 'a-token-for-new-ids-only';
export const TICKET_TOKEN = 'a-token-for-numbers-of-ticket';
export const SHOP_TOKEN = 'a-token-for-leases-of-shop';

/** Admits the holders of these tokens. */
export const authorize = bearerTokens([
  { token: TOKEN, scopes: ['ids', 'segments', 'leases', 'claims', 'read'] },
  { token: IDS_TOKEN, scopes: ['ids'] },
  { token: TICKET_TOKEN, scopes: ['segments'], names: ['ticket'] },
  { token: SHOP_TOKEN, scopes: ['leases'], names: ['shop'] },
]);

/** A request for a lease. */
export const LEASE = {
  layout: 'layout',
  firstWorkerId: 0,
  workerCount: 8,
  windowMs: 60_000,
  maxSkewMs: 1000,
  nonce: '0123456789abcdef:test',
  retry: false,
  assumeNew: true,
  searchSeed: 1,
};

/** A request to claim timestamps of the past. */
export const PAST = {
  layout: LEASE.layout,
  firstWorkerId: LEASE.firstWorkerId,
  workerCount: LEASE.workerCount,
  firstMs: 1,
  untilMs: 2,
  maxShiftMs: 0,
  ignoreLoss: true,
};

/**
 * A store in memory that the service takes, because it can't tell what it is.
 *
 * @param isNew whether each call declares the namespace new
 */
export function storeOfTests(isNew = true): LeaseStore {
  // Its worker IDs begin with the first, in whichever worker of Jest.
  const memory = memoryLeaseStore({ registry: new MemoryRegistry() });
  return {
    description: memory.description,
    renewable: memory.renewable,
    lease: (request, deadline) =>
      memory.lease({ ...request, assumeNew: isNew || request.assumeNew }, deadline),
    release: (request, deadline) => memory.release(request, deadline),
    backfill: memory.backfill?.bind(memory),
    inspect: () => memory.inspect(),
    close: () => memory.close(),
  };
}

/** A store that can't backfill. */
export const storeWithoutBackfill = (): LeaseStore => ({ ...storeOfTests(), backfill: undefined });

/** The same for segments. */
export function segmentStoreOfTests(): SegmentStore {
  const memory = memorySegmentStore();
  return {
    description: memory.description,
    stride: memory.stride,
    claim: (claim, deadline) => memory.claim(claim, deadline),
    returnRemainder: (rest, deadline) => memory.returnRemainder(rest, deadline),
    create: (tag, deadline) => memory.create(tag, deadline),
    inspect: () => memory.inspect(),
    resume: (highest) => memory.resume(highest),
    close: () => memory.close(),
  };
}

/** Starts an app that serves what the other imports make, and the leases of what `options` name. */
export function startService(
  platform: Platform,
  options: Partial<SnowflakeServiceOptions> & SnowflakeServiceExtras = {},
  imports: DynamicModule | readonly DynamicModule[] = SnowflakeModule.forRoot({ store: memoryLeaseStore() }),
  configure?: (app: INestApplication) => void,
): Promise<HttpApp> {
  @Module({ imports: [...[imports].flat(), SnowflakeServiceModule.forRoot({ authorize, ...options })] })
  class AppModule {}
  return HttpApp.start(platform, AppModule, configure);
}

export interface Sent {
  readonly method?: string;
  /** An empty one sends none. */
  readonly token?: string;
  /** The name of the call. An empty one sends none. */
  readonly call?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Sends a request with the token for everything. */
export async function send(
  { url }: Pick<HttpApp, 'url'>,
  path: string,
  { method = 'GET', token = TOKEN, call = randomUUID(), body, headers }: Sent = {},
): Promise<Received> {
  const response = await fetch(`${url}/${path}`, {
    method: body === undefined ? method : 'POST',
    headers: {
      connection: 'close',
      ...(token !== '' && { authorization: `Bearer ${token}` }),
      ...(call !== '' && { 'snowflake-call': call }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: typeof body === 'string' ? body : body === undefined ? undefined : JSON.stringify(body),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Received['body'],
  };
}
