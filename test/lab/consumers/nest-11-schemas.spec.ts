import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MarkdownPage } from '../../docs/markdown.js';
import { packLibrary } from '../long/packaging/packed-library.js';
import { Consumer, STEP_WITHIN_MS, warningsOfOurs } from './consumer.js';

const ID = '382475217496248322';
const NUMBER = "is a JSON number, which can't hold 64 bits exactly";
/** The files of the page that the app has; the rest of the page needs Nest 12. */
const FILES = ['snowflake-id.zod.ts', 'create-order.ts', 'create-order.dto.ts', 'app.module.ts'];

const page = MarkdownPage.read('docs/guides/validation-with-schemas.md');
const blocks = [...page.blocksIn('ts'), ...page.blocksIn('typescript')];
let app: Consumer;

beforeAll(() => {
  app = new Consumer('nest-11-schemas');
  for (const file of FILES) {
    const { text } = blocks.find((block) => block.text.startsWith(`// ${file}\n`))!;
    writeFileSync(join(app.folder, 'src', file), text);
  }
});
afterAll(() => {
  app?.remove();
});

async function post(url: string, body: string): Promise<{ status: number; body: unknown }> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body });
  return { status: response.status, body: await response.json() };
}

const ask = (url: string, query: string, variables: string): Promise<{ status: number; body: unknown }> =>
  post(`${url}/graphql`, `{"query":${JSON.stringify(query)},"variables":${variables}}`);

describe('a Nest 11 app with nestjs-zod and @nestjs/graphql 13', () => {
  it(
    'installs and compiles',
    async () => {
      const { path } = await packLibrary();
      // @nestjs/apollo 13 brings a plugin for Apollo 4, and npm warns of that.
      const warnings = warningsOfOurs(await app.install(path));
      expect(warnings.filter((line) => line.includes('snowflake'))).toEqual([]);
      expect(await app.script('compile')).not.toContain('error');
    },
    STEP_WITHIN_MS,
  );

  it(
    'accepts IDs, refuses numbers with the reason, and describes IDs as strings',
    async () => {
      const { stderr } = await app.serve('dist/main.js', async (url) => {
        await tryRequests(url);
        await tryQueries(url);
      });
      expect(stderr).toBe('');
    },
    STEP_WITHIN_MS,
  );
});

async function tryRequests(url: string): Promise<void> {
  const order = { customerId: ID, productIds: ['1', ID] };
  expect(await post(`${url}/orders`, JSON.stringify(order))).toEqual({ status: 201, body: order });
  expect(await post(`${url}/orders`, `{"customerId":${ID},"productIds":["x"]}`)).toMatchObject({
    status: 400,
    body: {
      errors: [
        { path: ['customerId'], message: expect.stringContaining(NUMBER) },
        { path: ['productIds', 0], message: expect.stringContaining('other than decimal digits') },
      ],
    },
  });
  const id = { type: 'string', format: 'snowflake-id' };
  expect(await (await fetch(`${url}/api-json`)).json()).toMatchObject({
    components: {
      schemas: {
        CreateOrderDto: { properties: { customerId: id, parentId: id, productIds: { items: id } } },
      },
    },
  });
}

async function tryQueries(url: string): Promise<void> {
  const query = 'query ($id: SnowflakeID!) { echo(id: $id) }';
  expect(await ask(url, query, `{"id":"${ID}"}`)).toEqual({ status: 200, body: { data: { echo: ID } } });
  const extensions = { code: 'BAD_USER_INPUT', snowflakeCode: 'SNOWFLAKE_INVALID_ID' };
  expect(await ask(url, query, `{"id":${ID}}`)).toMatchObject({
    body: { errors: [{ message: expect.stringContaining(NUMBER), extensions }] },
  });
}
