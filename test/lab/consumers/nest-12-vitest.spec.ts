import { databaseFor } from '../../support/servers/index.js';
import { describeUserApp, LONG_TIMEOUTS } from './app-contract.js';
import { heldInPostgres } from './held-leases.js';
import { installLine } from './install-lines.js';

describeUserApp('a Nest 12 app of the CLI with Vitest, TypeORM 1, and IDs leased in its PostgreSQL', {
  folder: 'nest-12-vitest',
  install: `${installLine('SQL')} @nestjs/config @nestjs/typeorm typeorm`,
  passes: { test: '2 passed (2)', 'test:e2e': '1 passed (1)' },
  testArguments: LONG_TIMEOUTS.vitest,
  lint: ['--max-warnings=0'],
  end: { code: 0, signal: null },
  async prepare() {
    const url = await databaseFor('postgres', 'consumer-nest-12-vitest');
    return { env: { DATABASE_URL: url }, held: () => heldInPostgres(url) };
  },
});
