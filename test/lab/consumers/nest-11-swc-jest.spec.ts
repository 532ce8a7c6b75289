import { databaseFor } from '../../support/servers/index.js';
import { describeUserApp, LONG_TIMEOUTS } from './app-contract.js';
import { heldInPostgres } from './held-leases.js';

describeUserApp('a Nest 11 app with @swc/jest, the oldest TypeORM, and IDs leased in its PostgreSQL', {
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
});
