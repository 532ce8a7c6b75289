import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { leaseStoreContract, type StoreUnderTest } from 'nestjs-snowflake/store';
import { concurrentCases } from '../support/concurrent-cases.js';
import { JsonFileStore } from './json-file-store.js';

async function jsonFileUnderTest(): Promise<StoreUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), 'snowflake-json-'));
  return {
    store: new JsonFileStore(join(folder, 'leases.json')),
    letPass: (ms) => delay(ms),
    dispose: async () => rmSync(folder, { recursive: true }),
  };
}

describe('a store that only answers the protocol and writes, in a JSON file', () => {
  leaseStoreContract(jsonFileUnderTest, concurrentCases(20));
});
