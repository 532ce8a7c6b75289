import { AsyncLocalStorage } from 'node:async_hooks';
import { TestEnvironment } from 'jest-environment-node';

/** The storages that the suite has used. Jest itself makes one per suite. */
const used = new Set();
const { run } = AsyncLocalStorage.prototype;

AsyncLocalStorage.prototype.run = function runAndNote(...args) {
  used.add(this);
  return run.apply(this, args);
};

/**
 * Jest's environment for Node, which also lets go of the suite's AsyncLocalStorages. Jest 30 doesn't, and until Node 24 each
 * of them costs time at every promise of every later suite in the same worker, and keeps the suite's modules in memory.
 */
export default class NodeEnvironment extends TestEnvironment {
  async teardown() {
    await super.teardown();
    for (const storage of used) storage.disable();
    used.clear();
  }
}
