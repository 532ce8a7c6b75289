import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** Compares with what an earlier run has written: Node 20 has no snapshots. */
export function fileSnapshot(testFile, name, value) {
  const file = new URL(`${testFile}.${name}.snap`);
  const text = JSON.stringify(value);
  if (!existsSync(file)) writeFileSync(file, text);
  assert.equal(readFileSync(file, 'utf8'), text);
}
