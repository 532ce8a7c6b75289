import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { InvalidOptionError } from 'nestjs-snowflake/core';
import { cleanUpAfterAll, temporaryFolder } from '../../../../../test/support/clean-up.js';
import type { StoreSource } from '../stores/store-source.js';
import { examineOpenApi } from './openapi-check.js';
import { examineSchemaTools } from './schema-tools-check.js';

const cleanUp = cleanUpAfterAll();

function folderWith(contents: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder(cleanUp);
  for (const [file, text] of Object.entries(contents)) writeFileSync(join(folder, file), text);
  return folder;
}

describe('the check of schema tools', () => {
  const inDatabase = (schema?: string) =>
    ({
      kind: 'sql',
      options: { namespace: 'shop', schema, dataSource: { type: 'postgres' } },
    }) as StoreSource;
  const project = (packages: readonly string[], files: Readonly<Record<string, string>> = {}) => {
    const devDependencies = Object.fromEntries(packages.map((name) => [name, '1.0.0']));
    return folderWith({ 'package.json': JSON.stringify({ devDependencies }), ...files });
  };

  it.each([
    ['no configuration', {}],
    ['one without a filter', { 'drizzle.config.ts': "export default { dialect: 'postgresql' };" }],
  ])('finds drizzle-kit with %s', (_, files) => {
    expect(examineSchemaTools(inDatabase(), project(['drizzle-kit'], files)).findings).toMatchObject([
      { code: 'SCHEMA_TOOL', problem: expect.stringContaining('drizzle-kit') },
    ]);
  });

  it('accepts drizzle-kit whose filter names the tables, in any file of its configuration', () => {
    for (const file of ['drizzle.config.ts', 'drizzle.config.mjs', 'drizzle.config.json'])
      expect(
        examineSchemaTools(
          inDatabase(),
          project(['drizzle-kit'], { [file]: "{ dialect: 'mysql', tablesFilter: ['!snowflake_*'] }" }),
        ),
      ).toEqual({ findings: [], examined: ['schema tools'] });
  });

  it('finds Prisma unless the tables have a schema of their own', () => {
    const folder = project(['prisma']);
    expect(examineSchemaTools(inDatabase(), folder).findings).toMatchObject([{ code: 'SCHEMA_TOOL' }]);
    expect(examineSchemaTools(inDatabase('snowflake'), folder).findings).toEqual([]);
  });

  it('examines nothing if there is no such tool, no package.json, or the leases are elsewhere', () => {
    const nothing = { findings: [], examined: [] };
    expect(examineSchemaTools(inDatabase(), project(['typeorm']))).toEqual(nothing);
    expect(examineSchemaTools(inDatabase(), folderWith({}))).toEqual(nothing);
    expect(examineSchemaTools({ kind: 'memory' }, project(['drizzle-kit', 'prisma']))).toEqual(nothing);
  });
});

describe('the check of OpenAPI', () => {
  const property = (name: string, schema: object) => ({ type: 'object', properties: { [name]: schema } });
  const document = (schemas: object, paths: object = {}) => ({
    openapi: '3.0.0',
    paths,
    components: { schemas },
  });
  const examine = (value: unknown) =>
    examineOpenApi(join(folderWith({ 'api.json': JSON.stringify(value) }), 'api.json'), 1000);

  it.each<[string, object]>([
    ['id', { type: 'number' }],
    ['id', { type: 'integer', format: 'int64' }],
    ['customerId', { type: ['integer', 'null'] }],
    ['customer_id', { anyOf: [{ type: 'string' }, { type: 'number' }] }],
    ['productIds', { type: 'array', items: { type: 'integer' } }],
    ['userID', { type: 'number' }],
  ])('finds the property %s of %j', async (name, schema) => {
    const { findings } = await examine(document({ Order: property(name, schema) }));
    expect(findings).toMatchObject([
      { code: 'OPENAPI_NUMBER', severity: 'warning', problem: expect.stringContaining(`Order.${name}`) },
    ]);
  });

  it.each<[string, object]>([
    ['id', { type: 'string' }],
    ['id', { $ref: '#/components/schemas/Id' }],
    ['paid', { type: 'number' }],
    ['valid', { type: 'integer' }],
    ['width', { type: 'integer' }],
    ['ideas', { type: 'number' }],
  ])('accepts the property %s of %j', async (name, schema) => {
    expect(await examine(document({ Order: property(name, schema) }))).toEqual({
      findings: [],
      examined: ['openapi'],
    });
  });

  it('finds parameters and nested schemas, each once', async () => {
    const inline = property('lines', { type: 'array', items: property('lineId', { type: 'number' }) });
    const operation = {
      parameters: [
        { name: 'id', in: 'path', schema: { type: 'number' } },
        { name: 'page', in: 'query', schema: { type: 'integer' } },
        { name: 'after_id', in: 'query', type: 'integer' },
      ],
      responses: { 200: { content: { 'application/json': { schema: inline } } } },
    };
    const { findings } = await examine(document({ Cart: inline }, { '/orders/{id}': { get: operation } }));
    const [{ problem = '' } = {}] = findings;
    expect(
      problem
        .match(/: (.*)\./)?.[1]
        ?.split(', ')
        .toSorted(),
    ).toEqual([
      'Cart.lines.lineId',
      'GET /orders/{id} after_id',
      'GET /orders/{id} id',
      'GET /orders/{id}.lineId',
    ]);
  });

  it('reads the document of a running app', async () => {
    const server = createServer((_, response) =>
      response.end(JSON.stringify(document({ User: property('id', { type: 'number' }) }))),
    );
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api-json`;
    try {
      expect((await examineOpenApi(url, 5000)).findings).toMatchObject([{ code: 'OPENAPI_NUMBER' }]);
    } finally {
      server.close();
    }
  });

  it('refuses what it can’t read, without the password of a URL', async () => {
    const wrong = [
      'nowhere.json',
      'http://me:sesame@127.0.0.1:1/api-json',
      join(folderWith({ a: '[]' }), 'a'),
    ];
    for (const reference of wrong) {
      const failure = examineOpenApi(reference, 1000);
      await expect(failure).rejects.toThrow(InvalidOptionError);
      await expect(failure).rejects.not.toThrow(/sesame/);
    }
    await expect(examine('no document')).rejects.toThrow(/OpenAPI document/);
  });
});
