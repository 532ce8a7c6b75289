import 'reflect-metadata';
import { Module, type Type } from '@nestjs/common';
import { jest } from '@jest/globals';
import { LeaseExhaustedError, SnowflakeIdMaker, SnowflakeModule, staticLeaseStore } from 'nestjs-snowflake';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HttpApp } from '../adapters/http-apps.js';
import { PageCode } from './page-code.js';
import { supportFolderOf } from './pages.js';

const PAGE = 'docs/guides/json-and-frontends.md';
const ID = '382475217496248322';

const code = new PageCode(PAGE);
afterAll(() => code.remove());

/** Runs the module of a file, and passes a function that sends queries to it. */
async function withApp(
  file: string,
  name: string,
  use: (ask: (query: string, variables?: string) => Promise<unknown>, app: HttpApp) => Promise<void>,
): Promise<void> {
  const pageModule = await code.run<Type>(file, name);
  @Module({ imports: [SnowflakeModule.forRoot({ store: staticLeaseStore({ workerId: 7 }) }), pageModule] })
  class AppModule {}
  const app = await HttpApp.start('Express', AppModule);
  try {
    await use(async (query, variables = '{}') => {
      const json = `{"query":${JSON.stringify(query)},"variables":${variables}}`;
      return (await app.post('/graphql', json)).body;
    }, app);
  } finally {
    await app.stop();
  }
}

const refused = (graphqlCode: string): object => ({
  errors: [{ extensions: { code: graphqlCode, snowflakeCode: 'SNOWFLAKE_INVALID_ID' } }],
});

describe('the code of the page on GraphQL', () => {
  it('serves code-first, with the codes of the page', async () => {
    await code.import('order.type.ts');
    await code.import('orders.resolver.ts');
    await withApp('orders.module.ts', 'OrdersModule', async (ask, { app }) => {
      expect(await ask(`mutation { createOrder(productIds: ["${ID}"]) { id productIds } }`)).toEqual({
        data: { createOrder: { id: expect.stringMatching(/^\d{17,19}$/), productIds: [ID] } },
      });
      const query = 'query ($id: SnowflakeID!) { order(id: $id) { id } }';
      expect(await ask(query, `{"id":"${ID}"}`)).toEqual({ data: { order: { id: ID } } });
      expect(await ask(query, `{"id":${ID}}`)).toMatchObject(refused('BAD_USER_INPUT'));
      expect(await ask(`{ order(id: ${ID}) { id } }`)).toMatchObject(refused('GRAPHQL_VALIDATION_FAILED'));
      const error = new LeaseExhaustedError(7, new Date());
      jest.spyOn(app.get(SnowflakeIdMaker), 'nextId').mockImplementation(() => {
        throw error;
      });
      expect(await ask('mutation { createOrder(productIds: []) { id } }')).toMatchObject({
        errors: [{ extensions: { code: 'SERVICE_UNAVAILABLE', snowflakeCode: error.code } }],
      });
    });
  });

  it('serves schema-first, with the schema of the page', async () => {
    const [schema] = code.page.blocksIn('graphql');
    expect(readFileSync(join(supportFolderOf(PAGE), 'schema.graphql'), 'utf8')).toBe(schema?.text);
    await withApp('schema-first.module.ts', 'SchemaFirstModule', async (ask) => {
      expect(await ask(`{ echo(id: "${ID}") }`)).toEqual({ data: { echo: ID } });
      expect(await ask(`{ echo(id: ${ID}) }`)).toMatchObject(refused('GRAPHQL_VALIDATION_FAILED'));
    });
  });

  it('resolves entities of a subgraph', async () => {
    await withApp('subgraph.module.ts', 'SubgraphModule', async (ask) => {
      const query =
        'query ($keys: [_Any!]!) { _entities(representations: $keys) { ... on Customer { id } } }';
      expect(await ask(query, `{"keys":[{"__typename":"Customer","id":"${ID}"}]}`)).toEqual({
        data: { _entities: [{ id: ID }] },
      });
      const number = `{"keys":[{"__typename":"Customer","id":${ID}}]}`;
      expect(await ask(query, number)).toMatchObject(refused('BAD_USER_INPUT'));
    });
  });

  it('the spec has run every file of the page', () => {
    expect(code.notRun()).toEqual([]);
  });
});
