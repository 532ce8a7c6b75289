import { describeUserApp, LONG_TIMEOUTS } from './app-contract.js';
import { sqliteFile } from './sqlite-file.js';

describeUserApp('a Nest 12 app on Fastify, with IDs leased in its SQLite', {
  folder: 'nest-12-fastify',
  install: 'nestjs-snowflake @nestjs/typeorm typeorm libsql',
  passes: { test: '2 passed (2)', 'test:e2e': '1 passed (1)' },
  testArguments: LONG_TIMEOUTS.vitest,
  end: { code: null, signal: 'SIGTERM' },
  prepare: sqliteFile,
});
