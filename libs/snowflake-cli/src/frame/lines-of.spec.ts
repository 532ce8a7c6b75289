import { Readable } from 'node:stream';
import { linesOf } from './lines-of.js';

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
    expect(long.length).toBeLessThan(10_000);
    expect(next).toBe('5');
  });
});
