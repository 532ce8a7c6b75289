import { createRequire } from 'node:module';
import { isMissingPackage } from './missing-package.js';

const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code });
const NAME = '@nestjs/schedule';

describe('isMissingPackage', () => {
  it.each([
    ['Node', 'ERR_MODULE_NOT_FOUND', `Cannot find package '${NAME}' imported from /app/dist/main.js`],
    ['webpack', 'MODULE_NOT_FOUND', `Cannot find module '${NAME}'`],
    ['Jest', 'MODULE_NOT_FOUND', `Cannot find module '${NAME}' from 'src/main.ts'`],
    ['Bun', 'ERR_MODULE_NOT_FOUND', `Cannot find package "${NAME}" from "/app/main.js"`],
    [
      'Yarn',
      'MODULE_NOT_FOUND',
      `nestjs-snowflake tried to access ${NAME} (a peer dependency) but it isn't provided by your application; this makes ` +
        `the require call ambiguous and unsound.\n\nRequired package: ${NAME}\nRequired by: nestjs-snowflake@npm:1.0.0`,
    ],
    [
      'the loader of Yarn',
      'MODULE_NOT_FOUND',
      `Your application tried to access ${NAME}, but it isn't declared in your dependencies; this makes the require call ` +
        `ambiguous and unsound.\n\nRequired package: ${NAME} (via "${NAME}/package.json")\nRequired by: /app/main.mjs\n`,
    ],
  ])('recognizes a package that %s does not find', (_, code, message) => {
    expect(isMissingPackage(NAME, failure(code, message))).toBe(true);
  });

  it('recognizes a package that Node does not find here', () => {
    const name = '@nestjs-snowflake/is-not-installed';
    let error: unknown;
    try {
      createRequire(import.meta.url)(name);
    } catch (thrown) {
      error = thrown;
    }
    expect(isMissingPackage(name, error)).toBe(true);
  });

  it.each([
    [
      'lacks a package',
      failure('ERR_MODULE_NOT_FOUND', `Cannot find package 'cron' imported from /${NAME}/a.js`),
    ],
    [
      'lacks a file',
      failure('MODULE_NOT_FOUND', `Cannot find module './cron.js'\n- /node_modules/${NAME}/a.js`),
    ],
    [
      'lacks a package of Yarn',
      failure(
        'MODULE_NOT_FOUND',
        `${NAME} tried to access cron\nRequired package: cron\nRequired by: ${NAME}@npm:6.0.0`,
      ),
    ],
    ['fails', failure('ERR_REQUIRE_ESM', `require() of '${NAME}'`)],
    ['throws no error', undefined],
  ])('does not take a package for missing that %s', (_, error) => {
    expect(isMissingPackage(NAME, error)).toBe(false);
  });
});
