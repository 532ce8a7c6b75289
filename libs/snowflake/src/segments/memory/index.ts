export { MemoryConflict, MemorySegmentData, MemorySegmentRegistry } from './memory-segment-registry.js';
export { memorySegmentStore } from './memory-segment-store.js';
