import { memorySegmentStore } from '../memory/memory-segment-store.js';
import { segmentStoreContract } from './segment-store-contract.js';

describe('the segment store in memory', () => {
  segmentStoreContract(
    async () => {
      const store = memorySegmentStore();
      return { store, other: store, dispose: () => store.close() };
    },
    { describe, it },
  );
});
