import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseFor, startRedis } from '../../support/servers/index.js';
import { describeUserApp, LONG_TIMEOUTS } from './app-contract.js';
import { STEP_WITHIN_MS } from './consumer.js';
import { heldInRedis } from './held-leases.js';
import { installLine } from './install-lines.js';

const OLDEST_TYPEORM = '0.3.20';
const passes = { test: '4 passed, 4 total', 'test:e2e': '1 passed, 1 total' };

describeUserApp(
  'a Nest 11 app of the CLI with ts-jest, TypeORM 0.3, MariaDB, and IDs leased in Redis',
  {
    folder: 'nest-11-ts-jest',
    // And what the app itself uses. The cipher is for `nestjs-snowflake/obfuscation`.
    install: `${installLine('Redis')} @nestjs/config@4 @nestjs/typeorm@11 typeorm@0.3 mysql2 @nestjs/schedule@6 @noble/ciphers@1`,
    passes,
    testArguments: LONG_TIMEOUTS.jest,
    lint: ['--max-warnings=0'],
    end: { code: null, signal: 'SIGTERM' },
    async prepare() {
      const [redis, database] = await Promise.all([
        startRedis(),
        databaseFor('mariadb', 'consumer-nest-11-ts-jest'),
      ]);
      return {
        env: { DATABASE_URL: database, REDIS_URL: redis.url },
        held: () => heldInRedis(redis.url),
        stop: () => redis.stop(),
      };
    },
  },
  (consumer) => {
    it('needs no Jest setting for the library', () => {
      const settings = ['package.json', 'test/jest-e2e.json'].map((file) =>
        readFileSync(join(consumer().folder, file), 'utf8'),
      );
      expect(settings.join('\n')).not.toMatch(/transformIgnorePatterns|moduleNameMapper|vm-modules/);
    });

    it(
      `passes its tests with TypeORM ${OLDEST_TYPEORM} too, the oldest that is supported`,
      async () => {
        await consumer().install(`typeorm@${OLDEST_TYPEORM}`);
        const manifest = readFileSync(join(consumer().folder, 'node_modules/typeorm/package.json'), 'utf8');
        expect(JSON.parse(manifest)).toMatchObject({ version: OLDEST_TYPEORM });
        expect(await consumer().script('test', ...LONG_TIMEOUTS.jest)).toContain(passes.test);
        expect(await consumer().script('test:e2e', ...LONG_TIMEOUTS.jest)).toContain(passes['test:e2e']);
      },
      STEP_WITHIN_MS,
    );
  },
);
