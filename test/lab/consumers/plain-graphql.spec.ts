import { packLibrary } from '../long/packaging/packed-library.js';
import { Consumer, STEP_WITHIN_MS, warningsOfOurs } from './consumer.js';

/** The oldest that the library supports, and the newest. */
const VERSIONS = ['16.8.1', '17.1.0'];
const ID = '382475217496248322';

interface Report {
  readonly version: string;
  readonly isOne: boolean;
  readonly answers: readonly unknown[];
}

let app: Consumer;
beforeAll(() => {
  app = new Consumer('plain-graphql');
});
afterAll(() => {
  app?.remove();
});

const refused = (message: string, code: string): object => ({
  errors: [
    {
      message: expect.stringContaining(message),
      extensions: { code, snowflakeCode: 'SNOWFLAKE_INVALID_ID' },
    },
  ],
});

describe.each(VERSIONS)('the scalar SnowflakeID with graphql %s, without Nest', (installed) => {
  it(
    'writes strings, reads strings, and refuses numbers with the reason',
    async () => {
      const { path } = await packLibrary();
      expect(warningsOfOurs(await app.install(path, `graphql@${installed}`))).toEqual([]);
      const { stdout } = await app.run(process.execPath, 'use.mjs');
      const { version, isOne, answers } = JSON.parse(stdout) as Report;
      expect(version).toBe(installed);
      expect(isOne).toBe(true);
      expect(answers).toMatchObject([
        { data: { echo: ID } },
        { data: { echo: ID } },
        refused("is a number, and numbers in JSON can't hold 64 bits exactly", 'BAD_USER_INPUT'),
        refused("is a JSON number, which can't hold 64 bits exactly", 'BAD_USER_INPUT'),
        refused('is of type number', 'INTERNAL_SERVER_ERROR'),
      ]);
    },
    STEP_WITHIN_MS,
  );
});
