import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { installedRuntimes, ReferenceProgram, RUN_WITHIN_MS, runtimes } from '../../../vectors/runtimes.js';
import { layouts, toTsv, vectors } from '../../../vectors/vectors.js';

const installed = await installedRuntimes();
const languages = installed.map(({ language }) => language);
const skipped = runtimes.map(({ language }) => language).filter((language) => !languages.includes(language));

if (skipped.length > 0) process.stdout.write(`Vectors: not installed, so not run: ${skipped.join(', ')}\n`);

describe(`the same vectors in ${languages.join(', ')}`, () => {
  it('finds at least one other language that is installed', () => {
    expect(languages).not.toEqual([]);
  });

  it.each(installed)(
    'composes and decodes the vectors the same in $language, and notices wrong ones',
    async (runtime) => {
      const program = await ReferenceProgram.prepare(runtime);
      try {
        expect(await program.check(toTsv(vectors))).toEqual([`checked ${vectors.length}`]);

        // The control: with another ID, or with another field, the program has something to say.
        const [, , first] = vectors;
        const wrongId = { ...first!, decimal: (BigInt(first!.decimal) + 4096n).toString() };
        const wrongField = {
          ...first!,
          values: first!.values.map((value, at) => (at === 0 ? value + 1 : value)),
        };
        for (const wrong of [wrongId, wrongField]) {
          const [complaint, ...rest] = await program.check(toTsv([wrong]));
          expect(complaint).toContain(first!.name);
          expect(rest.at(-1)).toBe('checked 1');
        }
      } finally {
        program.remove();
      }
    },
    4 * RUN_WITHIN_MS,
  );
});

describe.each(installed.filter(({ language }) => language === 'Python'))('in $language', () => {
  it(
    'computes the vectors again with the script beside them',
    async () => {
      const script = fileURLToPath(new URL('../../../vectors/generate.py', import.meta.url));
      const { stdout } = await promisify(execFile)('python3', [script], {
        timeout: RUN_WITHIN_MS,
        killSignal: 'SIGKILL',
        maxBuffer: 4_000_000,
      });
      expect(JSON.parse(stdout)).toEqual(layouts);
    },
    2 * RUN_WITHIN_MS,
  );
});
