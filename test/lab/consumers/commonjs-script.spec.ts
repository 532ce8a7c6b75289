import { describeUserApp } from './app-contract.js';
import { sqliteFile } from './sqlite-file.js';

describeUserApp('a CommonJS script without Nest, with IDs leased in its SQLite', {
  folder: 'commonjs-script',
  install: 'nestjs-snowflake typeorm libsql',
  passes: { test: '# pass 1', 'test:e2e': '# pass 1' },
  end: { code: 0, signal: null },
  main: 'server.cjs',
  prepare: sqliteFile,
});
