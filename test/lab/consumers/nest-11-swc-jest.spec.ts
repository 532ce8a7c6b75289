import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseFor } from '../../support/servers/index.js';
import { esmOnly } from '../long/packaging/esm-only.js';
import type { Manifest } from '../long/packaging/packed-library.js';
import { describeUserApp, LONG_TIMEOUTS } from './app-contract.js';
import { STEP_WITHIN_MS } from './consumer.js';
import { heldInPostgres } from './held-leases.js';

describeUserApp(
  'a Nest 11 app with @swc/jest, the oldest TypeORM, and IDs leased in its PostgreSQL',
  {
    folder: 'nest-11-swc-jest',
    install: 'nestjs-snowflake @nestjs/typeorm@11 typeorm@0.3.20 pg',
    passes: { test: '2 passed, 2 total', 'test:e2e': '1 passed, 1 total' },
    testArguments: LONG_TIMEOUTS.jest,
    end: { code: null, signal: 'SIGTERM' },
    // The schema builder of TypeORM 0.3.20 sends a query while another one runs, and pg warns of it.
    notOurs: /\(node:\d+\) DeprecationWarning: Calling client\.query\(\)[^\n]*\n\(Use [^\n]*\n/,
    async prepare() {
      const url = await databaseFor('postgres', 'consumer-nest-11-swc-jest');
      return { env: { DATABASE_URL: url }, held: () => heldInPostgres(url) };
    },
  },
  (consumer) => {
    it(
      'passes no unit test without the CommonJS build of the library (control)',
      async () => {
        const path = join(consumer().folder, 'node_modules/nestjs-snowflake/package.json');
        const manifest = readFileSync(path, 'utf8');
        writeFileSync(path, JSON.stringify(esmOnly(JSON.parse(manifest) as Manifest)));
        try {
          await expect(consumer().script('test', '--no-cache')).rejects.toThrow(
            /Unexpected token|Cannot use import statement|Must use import|Cannot find module/,
          );
        } finally {
          writeFileSync(path, manifest);
        }
      },
      STEP_WITHIN_MS,
    );
  },
);
