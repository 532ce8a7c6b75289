import { Readable } from 'node:stream';
import { linesOf } from './lines-of.js';
import { withPackage } from './optional-package.js';

async function lines(chunks: readonly (string | Buffer)[]): Promise<string[]> {
  const found: string[] = [];
  for await (const line of linesOf(Readable.from(chunks, { objectMode: false }))) found.push(line);
  return found;
}

describe('the lines of a stream', () => {
  it.each([
    { chunks: [], expected: [] },
    { chunks: ['1\n2\n'], expected: ['1', '2'] },
    { chunks: ['1\r\n2'], expected: ['1', '2'] },
    { chunks: ['1', '2\n', '\n3', '\n'], expected: ['12', '', '3'] },
    { chunks: ['1\r', '\n2\r'], expected: ['1', '2\r'] },
    { chunks: [Buffer.from([0xc3]), Buffer.from([0xa9, 0x0a])], expected: ['é'] },
  ])('splits $chunks into the lines $expected', async ({ chunks, expected }) => {
    expect(await lines(chunks)).toEqual(expected);
  });

  it('truncates lines that are too long', async () => {
    const [long = '', next] = await lines([...Array.from({ length: 100 }, () => 'x'.repeat(1000)), '\n5\n']);
    expect(long.length).toBeLessThan(70_000);
    expect(next).toBe('5');
  });
});

describe('a command that needs an optional package', () => {
  it('returns the result of a command whose optional package is installed', async () => {
    expect(await withPackage('ioredis', 'workers', async () => 7)).toBe(7);
  });

  it.each(['not-installed', '@not/installed'])('says what to run if %s is missing', async (name) => {
    await expect(withPackage(name, 'workers', () => import(name))).rejects.toThrow(
      `nestjs-snowflake-cli workers needs the package ${name}, which is not installed. In a project, run: ` +
        `npm install --save-dev nestjs-snowflake-cli ${name}. Anywhere else, run: ` +
        `npx --package nestjs-snowflake-cli --package ${name} nestjs-snowflake-cli workers …`,
    );
  });

  it('names the other packages that the command needs', async () => {
    const missing = withPackage('not-installed', 'console', () => import(String('not-installed')), [
      'ioredis',
    ]);
    await expect(missing).rejects.toThrow(
      'npx --package nestjs-snowflake-cli --package ioredis --package not-installed nestjs-snowflake-cli console …',
    );
  });

  it('throws the error of the module if another package is missing or the module is broken', async () => {
    const missing = withPackage('ioredis', 'workers', () => import(String('not-installed')));
    await expect(missing).rejects.toThrow("'not-installed'");
    await expect(missing).rejects.not.toThrow('npm install');
    const broken = withPackage('ioredis', 'workers', () => Promise.reject(new Error("broken 'ioredis'")));
    await expect(broken).rejects.toThrow("broken 'ioredis'");
  });
});
