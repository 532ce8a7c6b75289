import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answerTo } from './protocol.js';

const folder = mkdtempSync(join(tmpdir(), 'snowflake-generator-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function answer(method: string, params: object): object {
  return JSON.parse(answerTo(JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }))) as object;
}

const generate = (output: object | null): object =>
  answer('generate', {
    generator: { output },
    datasources: [{ activeProvider: 'mysql' }],
    dmmf: { datamodel: { models: [] } },
  });

describe('the program that Prisma starts', () => {
  it('answers with its name', () => {
    expect(answer('getManifest', {})).toMatchObject({ id: 7, result: { manifest: {} } });
  });

  it('writes the models into the file that the schema names', () => {
    const file = join(folder, 'new/models.ts');
    expect(generate({ value: file })).toEqual({ jsonrpc: '2.0', id: 7, result: null });
    expect(readFileSync(file, 'utf8')).toContain('"provider": "mysql"');
  });

  it.each([null, { value: null }, { value: '/tmp/models' }])(
    'asks for a file if the output is %p',
    (output) => {
      expect(generate(output)).toMatchObject({
        id: 7,
        error: { message: expect.stringContaining('output') as string },
      });
    },
  );
});
