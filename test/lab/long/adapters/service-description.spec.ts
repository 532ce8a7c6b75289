import 'reflect-metadata';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startService, storeOfTests, TOKEN } from '../../../../libs/snowflake-service/test/service-app.js';
import type { HttpApp } from '../../../adapters/http-apps.js';
import { Consumer, STEP_WITHIN_MS } from '../../consumers/consumer.js';

/** Prints IDs, and how they decode. */
const CLIENT = `import createClient from 'openapi-fetch';
import type { paths } from './api.js';
const [baseUrl = '', token = ''] = process.argv.slice(2);
const { GET, POST } = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${token}\` } });
const made = await POST('/v1/ids', { body: { count: 2 } });
const [id, other] = made.data!.ids;
const decoded = await GET('/v1/ids/{id}', { params: { path: { id: id! } } });
const refused = await GET('/v1/layouts/{instance}', { params: { path: { instance: 'none' } } });
const lease = await POST('/v1/leases/{namespace}', {
  params: { path: { namespace: 'shop' }, header: { 'Snowflake-Call': 'call-1' } },
  body: {
    layout: 'layout', firstWorkerId: 0, workerCount: 8, windowMs: 60_000, maxSkewMs: 1000,
    nonce: '0123456789abcdef:client', retry: false, assumeNew: true, searchSeed: 1,
  },
});
const workerId: number | undefined = lease.data?.outcome === 'new' ? lease.data.workerId : undefined;
const code: string | undefined = refused.error?.code;
console.log(JSON.stringify({ ids: [id, other], decoded: decoded.data?.id, code, workerId }));
`;

/** A file that treats IDs as numbers, and leases as if each had a worker ID. */
const WRONG = `import type { components, paths } from './api.js';
export const ids: components['schemas']['SnowflakeIds'] = { ids: [7] };
export const id: paths['/v1/ids/{id}']['get']['parameters']['path'] = { id: 7 };
export const workerOf = (lease: paths['/v1/leases/{namespace}']['post']['responses'][200]['content']['application/json']): number => lease.workerId;
`;

describe('a client that is generated from the OpenAPI document of the service', () => {
  let service: HttpApp;
  let user: Consumer;
  /** What the compiler prints. It writes the client in spite of the errors in the other file. */
  let compiled: string;
  beforeAll(async () => {
    service = await startService('Fastify', { leases: { shop: storeOfTests() } });
    user = new Consumer('openapi-client');
    const document = SwaggerModule.createDocument(service.app, new DocumentBuilder().addBearerAuth().build());
    writeFileSync(join(user.folder, 'openapi.json'), JSON.stringify(document));
    writeFileSync(join(user.folder, 'src/client.ts'), CLIENT);
    writeFileSync(join(user.folder, 'src/wrong.ts'), WRONG);
    await user.install('@seriousme/openapi-schema-validator@2.9.0');
    await user.script('generate');
    compiled = await user.script('compile').catch((error: Error) => error.message);
  }, STEP_WITHIN_MS);
  afterAll(async () => {
    user?.remove();
    await service?.stop();
  });

  it(
    'reads a document that a validator of OpenAPI accepts',
    async () => {
      await expect(user.run('validate-api', 'openapi.json')).resolves.toBeDefined();
      // A control: the same document without a title.
      const { openapi, ...rest } = JSON.parse(readFileSync(join(user.folder, 'openapi.json'), 'utf8')) as {
        openapi: string;
      };
      expect(openapi).toBe('3.0.0');
      writeFileSync(join(user.folder, 'invalid.json'), JSON.stringify({ openapi, ...rest, info: {} }));
      await expect(user.run('validate-api', 'invalid.json')).rejects.toThrow('validate-api');
    },
    STEP_WITHIN_MS,
  );

  it(
    'generates and decodes IDs, leases a worker ID, and gets the code of a refusal',
    async () => {
      expect(compiled.match(/\S+(?=\(.*error TS)/g)?.filter((file) => file !== 'src/wrong.ts')).toEqual([]);
      const { stdout } = await user.run(process.execPath, 'dist/client.js', service.url, TOKEN);
      const { ids, decoded, code, workerId } = JSON.parse(stdout) as Record<string, unknown>;
      expect(ids).toEqual([expect.stringMatching(/^\d{17,19}$/), expect.stringMatching(/^\d{17,19}$/)]);
      expect(decoded).toBe((ids as string[])[0]);
      expect(code).toBe('SNOWFLAKE_UNKNOWN_NAME');
      expect(workerId).toBeGreaterThanOrEqual(0);
    },
    STEP_WITHIN_MS,
  );

  it('does not compile if it takes IDs for numbers, or an outcome without a worker ID for a grant (control)', () => {
    const lines = [...compiled.matchAll(/wrong\.ts\((\d+),\d+\): error/g)].map(([, line]) => line);
    expect(lines).toEqual(['2', '3', '4']);
  });
});
