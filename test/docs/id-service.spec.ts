import { readFileSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import { type INestApplication, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { memoryLeaseStore, SnowflakeModule } from 'nestjs-snowflake';
import { remoteLeaseStore } from 'nestjs-snowflake/remote';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import { type ServiceAuthorization, SnowflakeServiceModule } from 'nestjs-snowflake-service';
import { LEASE, type Received, send, storeOfTests } from '../../libs/snowflake-service/test/service-app.js';
import { HttpApp, type Platform, PLATFORMS } from '../adapters/http-apps.js';
import { spawnChild, type TestChild } from '../support/child.js';
import { cleanUpAfterAll, temporaryFolder } from '../support/clean-up.js';
import { leaseOnce } from '../support/lease-once.js';
import { makeCertificates, makeClientCertificate } from '../support/servers/certificates.js';
import { CodeProject } from './code-project.js';
import { exampleBlock } from './example-block.js';
import { PageCode, testThatAllHaveRun } from './page-code.js';

const BILLING = 'the-token-of-billing-service';
const GUESSED = 'a-guessed-token-of-nobody-';
/** Of the page. */
const LIMIT = 200;

const LIMITS = 'client-limits.module.ts';
const CERTIFICATES = 'certificate-authorization.ts';
/** The files to which the page links. */
const examples = new CodeProject([LIMITS, CERTIFICATES].map((file) => exampleBlock(`id-service/${file}`)));
const cleanUp = cleanUpAfterAll();
const readme = new PageCode('libs/snowflake-service/README.md');

/** An app with the service. */
function appWith(authorize: ServiceAuthorization): Type {
  const leases = { shop: storeOfTests() };
  @Module({
    imports: [
      SnowflakeModule.forRoot({ store: memoryLeaseStore() }),
      SnowflakeServiceModule.forRoot({ authorize, leases }),
    ],
  })
  class AppModule {}
  return AppModule;
}

const isServed = (message: unknown): message is { readonly urls: Readonly<Record<Platform, string>> } =>
  typeof message === 'object' && message !== null && 'urls' in message;

describe('the limits of clients, as the page on the ID service sets them,', () => {
  let child: TestChild;
  let urls: Readonly<Record<Platform, string>>;
  beforeAll(async () => {
    child = spawnChild(new URL('../adapters/children/limited-service.ts', import.meta.url), {
      env: { BILLING_TOKEN: BILLING },
      args: [examples.pathOf(LIMITS)],
    });
    ({ urls } = await child.next(isServed));
  });
  afterAll(() => child?.kill());

  const call = (platform: Platform, token: string): Promise<Received> =>
    send({ url: urls[platform] }, 'v1/ids', { token });

  /** Calls until the limit of this client is reached, which lasts for a minute. */
  async function reachLimit(platform: Platform, tokenOf: (at: number) => string): Promise<Received> {
    for (let at = 0; at <= LIMIT; at += 10) {
      const calls = Array.from({ length: 10 }, (_, each) => call(platform, tokenOf(at + each)));
      const limited = (await Promise.all(calls)).find(({ status }) => status === 429);
      if (limited) return limited;
    }
    throw new Error('The limit was never reached');
  }

  it.each(PLATFORMS)(
    'answer 429 as problem details with the seconds to wait on %s, and leave the other clients theirs',
    async (platform) => {
      const { headers, body } = await reachLimit(platform, (at) => GUESSED + at);
      expect(headers.get('content-type')).toContain('application/problem+json');
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(body).toMatchObject({ status: 429, code: 'SNOWFLAKE_REFUSED' });
      expect((await call(platform, BILLING)).status).toBe(200);
    },
  );

  it.each(PLATFORMS)(
    'count on %s as an outage, not a refusal, for a process that leases its worker ID',
    async (platform) => {
      const store = remoteLeaseStore({ url: urls[platform], token: BILLING, namespace: 'shop' });
      try {
        await reachLimit(platform, () => BILLING);
        await expect(store.lease(LEASE)).rejects.toMatchObject({ code: 'SNOWFLAKE_STORE_UNAVAILABLE' });
      } finally {
        await store.close();
      }
    },
  );
});

interface Client {
  readonly cert?: string;
  readonly key?: string;
}

/** The status of a call by a client with this certificate; undefined if the handshake fails. */
function statusFor(url: string, path: string, ca: string, client: Client): Promise<number | undefined> {
  return new Promise((resolve) => {
    const options = { ca, ...client, agent: false, servername: 'localhost' };
    const call = httpsRequest(`${url}/${path}`, options, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode));
    });
    call.on('error', () => resolve(undefined));
    call.end();
  });
}

describe.each(PLATFORMS)(
  'client certificates, as the page on the ID service shows them on %s,',
  (platform) => {
    const folder = temporaryFolder(cleanUp);
    let app: INestApplication;
    let ca: string;
    const clientNamed = (name: string): Promise<Client> => makeClientCertificate(folder, name);

    beforeAll(async () => {
      const made = await makeCertificates(folder, {});
      ca = made.ca;
      const https = {
        key: readFileSync(made.keyFile),
        cert: readFileSync(made.certificateFile),
        ca,
        requestCert: true,
        rejectUnauthorized: true,
      };
      const root = appWith(await examples.run<ServiceAuthorization>(CERTIFICATES, 'authorizeByCertificate'));
      const options = { logger: false, abortOnError: false } as const;
      app =
        platform === 'Fastify'
          ? await NestFactory.create(root, new FastifyAdapter({ https }), options)
          : await NestFactory.create(root, { ...options, httpsOptions: https });
      await app.listen(0, '127.0.0.1');
    });
    afterAll(() => app?.close());

    it.each([
      ['billing', 'v1/ids', 200],
      ['billing', 'v1/layouts/default', 200],
      ['billing', 'v1/leases/shop', 200],
      ['edge', 'v1/ids', 401],
      ['somebody', 'v1/ids', 401],
    ])('admit the holder of the certificate "%s" to %s with %d', async (name, path, status) => {
      expect(await statusFor(await app.getUrl(), path, ca, await clientNamed(name))).toBe(status);
    });

    it('admit nobody without a certificate, or with one of another authority', async () => {
      expect(await statusFor(await app.getUrl(), 'v1/ids', ca, {})).toBeUndefined();
      const elsewhere = temporaryFolder(cleanUp);
      await makeCertificates(elsewhere, {});
      const forged = await makeClientCertificate(elsewhere, 'billing');
      expect(await statusFor(await app.getUrl(), 'v1/ids', ca, forged)).toBeUndefined();
    });
  },
);

it('the README of the service shows how to mount the service in an app', async () => {
  process.env.DATABASE_URL = `sqlite:${join(temporaryFolder(cleanUp), 'leases.db')}`;
  process.env.BILLING_TOKEN = BILLING;
  await leaseOnce(sqlLeaseStore({ url: process.env.DATABASE_URL, namespace: 'shop', createTable: true }));
  const service = await HttpApp.start('Express', await readme.run<Type>('src/app.module.ts', 'AppModule'));
  try {
    const { body } = await send(service, 'v1/ids?count=3', { token: BILLING });
    expect(new Set(body.ids as string[]).size).toBe(3);
  } finally {
    await service.stop();
  }
});

testThatAllHaveRun(readme);
